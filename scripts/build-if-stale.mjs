// Builds what is missing or older than its source, so that examples and benchmarks run what is there to be read. What the build tells goes to
// standard error: it is nobody's result.
import { spawnSync } from "node:child_process"
import { existsSync, statSync } from "node:fs"
import { filesBelow } from "./files.mjs"

/** `built`: a file that every build writes anew. */
const kinds = {
  dist: { built: "dist/index.js", folders: ["src"], configuration: "tsconfig.build.json", args: [] },
  test: { built: ".build/test/engines/redis.js", folders: ["src", "test/engines"], configuration: "tsconfig.test.json", args: ["test"] },
}
const changedMs = (path) => statSync(path).mtimeMs

/** False where the build fails; it has said why. */
export function buildIfStale(kind = "dist") {
  const { built, folders, configuration, args } = kinds[kind]
  const sources = ["package.json", "tsconfig.json", configuration, ...folders.flatMap((folder) => filesBelow(folder))]
  if (existsSync(built) && sources.every((path) => changedMs(path) <= changedMs(built))) return true
  console.error("building…")
  return spawnSync(process.execPath, ["scripts/build.mjs", ...args], { stdio: ["ignore", 2, 2] }).status === 0
}
