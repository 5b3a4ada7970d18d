// The script and the shapes of its answers, beside this module: both are made from TypeScript when Sluice is built (scripts/lua).

import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import type { Shapes } from "./answers.ts"

export interface Script {
  readonly text: string
  /** What the server calls it by. */
  readonly sha: string
  /** The same as a function: the text that declares it, and its name. */
  readonly library: string
  readonly name: string
  readonly shapes: Shapes
}

const ours = "sluice_"
/** What the libraries of all versions are called, as a pattern of the server's. */
export const ourLibraries = `${ours}${"[0-9a-f]".repeat(16)}`

let read: Script | null = null

export function readScript(): Script {
  read ??= scriptOf(beside("sluice.lua"), JSON.parse(beside("shapes.json")))
  return read
}

export function scriptOf(text: string, shapes: Shapes): Script {
  const sha = createHash("sha1").update(text).digest("hex")
  const name = `${ours}${sha.slice(0, 16)}`
  return { text, sha, library: libraryOf(text, name), name, shapes }
}

/** How the script ends: it finds its entry, which everything before has only prepared, and runs it. */
const entry = /\.run\(KEYS, ARGV\)\s*$/

/**
 * Prepared when it is called first, and kept: while a library is loaded, a server lets it see nothing of Lua's own. At its maxmemory it
 * runs no function unless that says that it may: so there is a second one for whoever only looks.
 */
function libraryOf(text: string, name: string): string {
  return `#!lua name=${name}
local entry
local function prepare()
${entry.test(text) ? text.replace(entry, "") : `return { isLook = function() return true end, run = function(KEYS, ARGV) ${text} end }`}
end
local function step(keys, values)
  entry = entry or prepare()
  return entry.run(keys, values)
end
redis.register_function("${name}", step)
redis.register_function{
  function_name = "${lookOf(name)}",
  flags = { "allow-oom" },
  callback = function(keys, values)
    entry = entry or prepare()
    if not entry.isLook(values[1]) then return redis.error_reply("OOM command not allowed when used memory > 'maxmemory'.") end
    return step(keys, values)
  end,
}
`
}

export function lookOf(name: string): string {
  return `${name}_look`
}

function beside(name: string): string {
  return readFileSync(new URL(name, import.meta.url), "utf8")
}
