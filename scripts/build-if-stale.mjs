// Builds dist where it is missing or older than the source, so that examples run what is there to be read.
import { spawnSync } from "node:child_process"
import { existsSync, statSync } from "node:fs"
import { filesBelow } from "./files.mjs"

const built = "dist/index.js"
const changedMs = (path) => statSync(path).mtimeMs

export function buildIfStale() {
  const isFresh = existsSync(built) && [...filesBelow("src"), "package.json"].every((path) => changedMs(path) <= changedMs(built))
  if (isFresh) return
  console.error("building…")
  const { status } = spawnSync(process.execPath, ["scripts/build.mjs"], { stdio: ["ignore", "ignore", "inherit"] })
  if (status !== 0) process.exit(status ?? 1)
}
