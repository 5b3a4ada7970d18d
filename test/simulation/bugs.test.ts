// A simulation that finds nothing proves nothing, unless it finds what is there: every planted bug is caught.

import { ok } from "node:assert/strict"
import { describe, it } from "node:test"
import { bugs } from "./bugs/index.ts"
import { runSeeds } from "./many-seeds.ts"
import { plant } from "./plant.ts"

const seeds = 1_000

describe("planted bugs", () => {
  for (const bug of bugs) {
    it(`"${bug.name}" is caught within ${seeds} seeds`, async (test) => {
      const { ran, failures } = await runSeeds({ from: 1, count: seeds, source: plant(bug), stopsAtFirst: true })
      const [first] = failures
      ok(first, `"${bug.name}" (${bug.like}) went unnoticed in ${ran} seeds`)
      test.diagnostic(`after ${first.seed} seeds: ${first.violations[0]?.kind}: ${first.violations[0]?.message}`)
    })
  }
})
