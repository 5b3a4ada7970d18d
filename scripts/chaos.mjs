// Chaos with real processes: `npm run chaos -- <store> [options]` is test/chaos/main.ts. Builds first, and says so on standard error.
import { spawn, spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"

process.chdir(fileURLToPath(new URL("..", import.meta.url)))

const { status } = spawnSync(process.execPath, ["scripts/build.mjs", "test"], { stdio: ["ignore", 2, 2] })
if (status !== 0) {
  console.error("chaos: expected the build to succeed; nothing was run")
  process.exit(1)
}

const run = spawn(process.execPath, ["--enable-source-maps", ".build/test/chaos/main.js", ...process.argv.slice(2)], { stdio: "inherit" })
// Whoever ends this ends the run, and the run its processes.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => run.kill(signal))
run.on("exit", (code) => process.exit(code ?? 1))
