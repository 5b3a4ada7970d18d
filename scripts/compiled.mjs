// What is compiled from the sources by tools of our own, kept until something has changed that goes into it. Their compiler is
// installed first where it is missing.
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { filesBelow } from "./files.mjs"

const root = fileURLToPath(new URL("..", import.meta.url))

function run(command, args, cwd) {
  const { status, error } = spawnSync(command, args, { cwd, stdio: ["ignore", 2, 2] })
  if (status === 0) return
  console.error(`build: expected \`${command} ${args.join(" ")}\` in ${cwd} to succeed, got ${error?.message ?? `status ${status}`}`)
  process.exit(status ?? 1)
}

function digest(folders) {
  const hash = createHash("sha256")
  const isSource = (path) => /\.(ts|mjs|lua|json)$/.test(path) && !path.includes("node_modules")
  for (const path of folders.flatMap((folder) => filesBelow(folder)).filter(isSource)) hash.update(path).update(readFileSync(path))
  return hash.digest("hex").slice(0, 16)
}

/** The folder with what `script` makes of the sources in `folders`; it is done when `last` is there. */
export function compiled(name, script, folders, last) {
  const kept = join(root, "node_modules/.cache", name, digest(folders))
  if (existsSync(join(kept, last))) return kept
  if (!existsSync(join(root, "scripts/lua/node_modules"))) {
    console.error("build: installing the compiler to Lua in scripts/lua")
    run("npm", ["ci"], join(root, "scripts/lua"))
  }
  rmSync(join(kept, ".."), { recursive: true, force: true })
  run(process.execPath, [script, kept], root)
  return kept
}
