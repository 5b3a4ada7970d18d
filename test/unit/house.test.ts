// The check of the house catches what it is there for: planted violations, one of each kind, and nothing in honest code.

import assert from "node:assert/strict"
import { resolve } from "node:path"
import { describe, it } from "node:test"
import { pathToFileURL } from "node:url"

type ProblemsIn = (path: string, text: string) => readonly string[]
const { problemsIn }: { problemsIn: ProblemsIn } = await import(pathToFileURL(resolve("scripts/check-house.mjs")).href)

describe("the check of the house", () => {
  const seam: readonly (readonly [string, RegExp])[] = [
    ["const now = Date.now()", /uses Date\.now/],
    ["const now = new Date()", /uses new Date\(\)/],
    ["const now = performance.now()", /uses performance\.now/],
    ["const chance = Math.random()", /uses Math\.random/],
    ["setTimeout(run, 10)", /uses a timer/],
    ["setInterval(run, 10)", /uses a timer/],
    ["setImmediate(run)", /uses a timer/],
    ["const id = randomUUID()", /uses randomness/],
    ["crypto.getRandomValues(bytes)", /uses randomness/],
    ["await fetch(url)", /uses fetch/],
    ['import { setTimeout as wait } from "node:timers/promises"', /uses node:timers/],
  ]
  for (const [code, problem] of seam) {
    it(`catches "${code}" outside src/world`, () => {
      assert.match(problemsIn("src/worker/x.ts", code).join("\n"), problem)
      assert.deepEqual(problemsIn("src/world/x.ts", code), [])
    })
  }

  const imports: readonly (readonly [string, string, RegExp])[] = [
    ["src/units/x.ts", 'import { a } from "../task/index.ts"', /imports task; units may import errors/],
    ["src/task/x.ts", 'import type { A } from "../store/contract.ts"', /imports store; task may import errors, units/],
    ["src/errors/x.ts", 'export { a } from "../units/index.ts"', /imports units; errors may import nothing/],
    ["src/store/x.ts", 'import { a } from "../queue/index.ts"', /imports queue/],
    ["src/stores/memory/x.ts", 'import { a } from "../sqlite/index.ts"', /imports the store sqlite; stores do not know each other/],
    ["src/worker/x.ts", 'import { a } from "../stores/memory/index.ts"', /imports a concrete store/],
    ["src/worker/x.ts", 'await import("../stores/memory/index.ts")', /imports a concrete store/],
    ["src/queue/resolve.ts", 'import { open } from "../stores/memory/index.ts"', /imports a concrete store/],
    ["src/task/x.ts", 'import { readFileSync } from "node:fs"', /imports node:fs; task is pure/],
    ["src/queue/x.ts", 'import { a } from "../../test/kit.ts"', /from outside src/],
    ["src/queue/x.ts", 'import "../cli/main.ts"', /imports cli/],
    ["src/testing/checker/x.ts", 'import { a } from "../dice.ts"', /the history checker imports nothing but itself/],
    ["src/testing/checker/x.ts", 'import type { A } from "../../store/index.ts"', /the history checker imports nothing but itself/],
  ]
  for (const [path, code, problem] of imports) {
    it(`catches ${code} in ${path}`, () => assert.match(problemsIn(path, code).join("\n"), problem))
  }

  it("keeps the dashboard apart: it imports nothing else, writes no HTML, and has one seam of its own", () => {
    assert.match(
      problemsIn("src/dashboard/x.tsx", 'import { a } from "../http/index.ts"').join("\n"),
      /imports http; dashboard may import nothing/,
    )
    assert.match(problemsIn("src/dashboard/pages/x.tsx", "element.innerHTML = text").join("\n"), /writes HTML/)
    assert.match(problemsIn("src/dashboard/x.ts", "setTimeout(run, 10)").join("\n"), /uses a timer/)
    assert.deepEqual(problemsIn("src/dashboard/browser.ts", "setTimeout(run, 10)"), [])
    assert.match(problemsIn("src/cli/x.ts", 'import { a } from "../dashboard/address.ts"').join("\n"), /imports dashboard/)
  })

  it("catches printing outside the CLI", () => {
    assert.match(problemsIn("src/queue/x.ts", 'console.log("hello")').join("\n"), /uses console; only the CLI prints/)
    assert.deepEqual(problemsIn("src/cli/x.ts", 'console.log("hello")'), [])
  })

  it("finds nothing in honest code", () => {
    const honest = `// Date.now would be wrong here, and so would setTimeout.
/* console.log(Math.random()) */
import { parseDuration } from "../units/index.ts"
import { readFile } from "node:fs/promises"
export const later = (world: World) => world.fetch("https://example.org")
export const day = new Date(0)
const { open } = await import("libsql")
`
    assert.deepEqual(problemsIn("src/worker/x.ts", honest), [])
    assert.deepEqual(problemsIn("src/queue/resolve.ts", 'const { open } = await import("../stores/sqlite/index.ts")'), [])
    assert.deepEqual(problemsIn("src/testing/x.ts", 'import { open } from "../stores/memory/index.ts"'), [])
    assert.deepEqual(problemsIn("src/index.ts", 'export { connect } from "./queue/index.ts"'), [])
  })
})
