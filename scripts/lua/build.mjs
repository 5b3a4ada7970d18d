// The script and the shapes for the Redis store, into the given folders.
import { cpSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { compiled } from "../compiled.mjs"

/** What the store needs, and what only its tests do. */
const made = ["sluice.lua", "shapes.json"]
const forTests = ["play.lua", "rows.lua", "engine.lua", "short.lua"]

/** `tests`: the folder of the compiled tests, where they are compiled. */
export function buildLua(folders, tests) {
  // The shapes are written last.
  const kept = compiled("sluice-lua", "scripts/lua/compile.mjs", ["src", "test/redis", "scripts/lua"], "shapes.json")
  const copy = (names, folder) => {
    mkdirSync(folder, { recursive: true })
    for (const name of names) cpSync(join(kept, name), join(folder, name))
  }
  for (const folder of folders) copy(made, folder)
  if (tests) copy(forTests, tests)
}
