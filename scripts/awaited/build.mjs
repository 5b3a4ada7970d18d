// The steps for stores whose records have to be waited for, into the given folders.
import { cpSync } from "node:fs"
import { compiled } from "../compiled.mjs"

export function buildAwaited(folders) {
  const kept = compiled(
    "sluice-awaited",
    "scripts/awaited/compile.mjs",
    ["src/store", "src/task", "src/limits", "scripts/awaited"],
    "steps.js",
  )
  for (const folder of folders) cpSync(kept, folder, { recursive: true })
}
