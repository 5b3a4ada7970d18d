// `npm start`: builds what is missing, then runs examples/start. Signals of the terminal reach the child by themselves.
import { spawn } from "node:child_process"
import { buildIfStale } from "./build-if-stale.mjs"

if (!buildIfStale()) process.exit(1)
const args = ["node_modules/jiti/lib/jiti-cli.mjs", "examples/start/main.ts", ...process.argv.slice(2)]
const child = spawn(process.execPath, args, { stdio: "inherit" })
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill(signal))
child.on("exit", (code) => process.exit(code ?? 1))
