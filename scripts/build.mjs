// Compiles src to dist (what is published) and, with "test", src and test to .build (what the tests run); the steps once
// more, to Lua and for stores that have to be waited for; and the dashboard to the files that the server sends.
import { spawnSync } from "node:child_process"
import { chmodSync, cpSync, rmSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { buildAwaited } from "./awaited/build.mjs"
import { buildDashboard } from "./dashboard/build.mjs"
import { filesBelow } from "./files.mjs"
import { buildLua } from "./lua/build.mjs"

const tsc = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin", "tsc")

function compile(project, folder, sources) {
  rmSync(folder, { recursive: true, force: true })
  const { status } = spawnSync(process.execPath, [tsc, "-p", project], { stdio: "inherit" })
  if (status !== 0) process.exit(status ?? 1)
  // The compiler leaves out what is not TypeScript: the SQL that stores load at run time.
  for (const file of filesBelow("src").filter((path) => path.endsWith(".sql")))
    cpSync(file, join(folder, sources, file.slice("src/".length)))
}

const isTest = process.argv.includes("test")
compile("tsconfig.build.json", "dist", "")
chmodSync("dist/cli/main.js", 0o755)
if (isTest) compile("tsconfig.test.json", ".build", "src")
buildAwaited(["dist/store/awaited", ...(isTest ? [".build/src/store/awaited"] : [])])
buildLua(["dist/stores/redis", ...(isTest ? [".build/src/stores/redis"] : [])], isTest ? ".build/test/redis" : null)
await buildDashboard(["dist/dashboard", ...(isTest ? [".build/src/dashboard"] : [])])
