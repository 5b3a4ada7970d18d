// Runs a story of examples/ by its name, on the store that is given: `npm run story -- ocr redis://localhost:6379`.
import { spawnSync } from "node:child_process"
import { existsSync, readdirSync } from "node:fs"
import { buildIfStale } from "./build-if-stale.mjs"

const [name, ...args] = process.argv.slice(2)
const stories = readdirSync("examples").filter((folder) => folder !== "start" && existsSync(`examples/${folder}/main.ts`))
if (!stories.includes(name)) {
  console.error(`story: expected one of ${stories.join(", ")}, got ${name ?? "none"}. Such as: npm run story -- ${stories[0]}`)
  process.exit(2)
}
if (!buildIfStale()) process.exit(1)
const command = ["node_modules/jiti/lib/jiti-cli.mjs", `examples/${name}/main.ts`, ...args]
process.exit(spawnSync(process.execPath, command, { stdio: "inherit" }).status ?? 1)
