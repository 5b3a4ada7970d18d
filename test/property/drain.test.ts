// No wake-up is lost: workers that do nothing but what they are told finish everything.

import { describe, it } from "node:test"
import fc from "fast-check"
import type { OpenBacking } from "../../src/testing/conformance/index.ts"
import { VirtualWorld } from "../../src/testing/virtual-world.ts"
import { Drain } from "./drain.ts"
import { type Drawn, drains } from "./drain-commands.ts"
import { runs } from "./runs.ts"
import { memory, otherStores, withOwn } from "./with-store.ts"

/** Generous: a hundred runs, one after the other, each waiting for the slowest window, the longest cooldown or a lost lease. */
const withinMs = 100 * 40_000

async function drain(openBacking: OpenBacking, drawn: Drawn): Promise<void> {
  const world = new VirtualWorld()
  await withOwn(world, openBacking, (store) => new Drain(world, store, drawn).run(withinMs))
}

describe("workers that sleep until they are told", () => {
  it("finish everything on memory", async () => {
    await fc.assert(
      fc.asyncProperty(drains, (drawn) => drain(memory, drawn)),
      { numRuns: runs(1_200), unbiased: true },
    )
  })

  for (const [name, openBacking] of Object.entries(otherStores)) {
    it(`finish everything on ${name}`, async () => {
      await fc.assert(
        fc.asyncProperty(drains, (drawn) => drain(openBacking, drawn)),
        { numRuns: runs(name === "sqlite" || name === "memory" ? 30 : name === "s3" ? 5 : 15), unbiased: true },
      )
    })
  }
})
