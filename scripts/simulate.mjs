// Runs the simulation on a fresh build: `npm run simulate -- --help` says how.
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"

process.chdir(fileURLToPath(new URL("..", import.meta.url)))
const run = (args, stdio) => spawnSync(process.execPath, args, { stdio }).status ?? 1

const built = run(["scripts/build.mjs", "test"], ["ignore", 2, 2])
process.exit(built === 0 ? run(["--enable-source-maps", ".build/test/simulation/main.js", ...process.argv.slice(2)], "inherit") : built)
