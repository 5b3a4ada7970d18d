// The script and the shapes for the Redis store, into the given folders: compiled where something has changed, else from the last time.
// The compiler is installed first where it is missing.
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { filesBelow } from "../files.mjs"

const root = fileURLToPath(new URL("../..", import.meta.url))
/** What the store needs, and what only its tests do. */
const made = ["sluice.lua", "shapes.json"]
const forTests = ["play.lua", "rows.lua"]

function run(command, args, cwd) {
  const { status, error } = spawnSync(command, args, { cwd, stdio: ["ignore", 2, 2] })
  if (status === 0) return
  console.error(`build: expected \`${command} ${args.join(" ")}\` in ${cwd} to succeed, got ${error?.message ?? `status ${status}`}`)
  process.exit(status ?? 1)
}

/** Of everything that goes into them. */
function digest() {
  const hash = createHash("sha256")
  const sources = [...filesBelow("src"), ...filesBelow("test/redis"), ...filesBelow("scripts/lua")]
  const isSource = (path) => /\.(ts|mjs|lua|json)$/.test(path) && !path.includes("node_modules")
  for (const path of sources.filter(isSource)) hash.update(path).update(readFileSync(path))
  return hash.digest("hex").slice(0, 16)
}

/** `tests`: the folder of the compiled tests, where they are compiled. */
export function buildLua(folders, tests) {
  const kept = join(root, "node_modules/.cache/sluice-lua", digest())
  if (![...made, ...forTests].every((file) => existsSync(join(kept, file)))) {
    if (!existsSync(join(root, "scripts/lua/node_modules"))) {
      console.error("build: installing the compiler to Lua in scripts/lua")
      run("npm", ["ci"], join(root, "scripts/lua"))
    }
    rmSync(join(kept, ".."), { recursive: true, force: true })
    run(process.execPath, ["scripts/lua/compile.mjs", kept], root)
  }
  const copy = (names, folder) => {
    mkdirSync(folder, { recursive: true })
    for (const name of names) cpSync(join(kept, name), join(folder, name))
  }
  for (const folder of folders) copy(made, folder)
  if (tests) copy(forTests, tests)
}
