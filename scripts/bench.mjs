// Runs a benchmark: `npm run bench -- <name> [options]` is bench/<name>.mjs on the built package. Builds and installs what is
// missing first; says so on standard error, so that a benchmark's own output stays clean.
import { spawnSync } from "node:child_process"
import { existsSync, readdirSync, statSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { buildIfStale } from "./build-if-stale.mjs"

process.chdir(fileURLToPath(new URL("..", import.meta.url)))

const names = readdirSync("bench")
  .filter((file) => file.endsWith(".mjs"))
  .map((file) => file.slice(0, -".mjs".length))
const [name, ...options] = process.argv.slice(2)

if (!names.includes(name)) {
  console.error(`bench: expected one of ${names.join(", ")}, got ${name === undefined ? "nothing" : `"${name}"`}`)
  process.exit(2)
}

/** With standard output on standard error: what is told on the way is no result. */
function run(command, args) {
  const { status, error } = spawnSync(command, args, { stdio: ["ignore", 2, 2] })
  if (error) console.error(`bench: ${error.message}`)
  return status === 0
}

const changedAtMs = (path) => (existsSync(path) ? statSync(path).mtimeMs : 0)

if (!buildIfStale()) {
  console.error("bench: expected `npm run build` to succeed; nothing was measured")
  process.exit(1)
}

// What the benchmarks compare with is a package of its own, so that `npm ci` at the root stays small.
if (changedAtMs("bench/node_modules/.package-lock.json") < changedAtMs("bench/package-lock.json")) {
  console.error("bench: installing bench/package.json; a driver without a prebuilt file for this machine is compiled, which takes minutes")
  // Not `npm ci`: that refuses a lock file without the packages of other systems, and a registry may have no more than those of this one.
  if (!run("npm", ["install", "--no-save", "--prefix", "bench", "--no-audit", "--no-fund"]))
    console.error("bench: bench/package.json could not be installed (see above); what needs it is left out of the comparison")
}

const { status } = spawnSync(process.execPath, [`bench/${name}.mjs`, ...options], { stdio: "inherit" })
process.exit(status ?? 1)
