// Random commands, played on two queues at once: the memory store means what the model means, and every other store means
// what the memory store means. SLUICE_PROPERTY_RUNS raises the number of runs; a failure prints its seed.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import fc from "fast-check"
import { VirtualWorld } from "../../src/testing/virtual-world.ts"
import { declared, gateCommands, helloOf, largestOf } from "./gate-commands.ts"
import { Model } from "./model.ts"
import { plainCommands, wideOpen } from "./plain-commands.ts"
import { runs } from "./runs.ts"
import { type Call, Script } from "./script.ts"
import { memory, otherStores, withStore } from "./with-store.ts"

/** What a store may do as it likes: how long it takes, how much it looked at, what it keeps for itself, how it words a refusal. */
const ownAffairs = ["waitedMs", "touched", "forgotten", "message"]
const open = { hello: wideOpen, largest: {}, ownAffairs }

/** Of lanes that others come between it reads one task at a time, and of gates that it knows it looks at none: never at more. */
function lookingAtLess(one: Call, other: Call): [Call, Call] {
  let most = Number.POSITIVE_INFINITY
  const touchedBy = (answer: unknown) => (answer as { readonly touched?: number }).touched ?? 0
  return [
    async (operation, request) => {
      const answer = await one(operation, request)
      most = touchedBy(answer)
      return answer
    },
    async (operation, request) => {
      const answer = await other(operation, request)
      assert.ok(touchedBy(answer) <= most, `${operation}: expected at most ${most} records looked at, got ${touchedBy(answer)}`)
      return answer
    },
  ]
}

describe("random commands", () => {
  it("mean the same to the memory store and to the model", async () => {
    await fc.assert(
      fc.asyncProperty(plainCommands, async (played) => {
        const world = new VirtualWorld()
        const model = new Model(() => world.wallMs())
        const asked: Call = async (operation, request) => model.call(operation, request as never)
        await withStore(world, memory, (stored) => new Script(world, [asked, stored], open).play(played))
      }),
      { numRuns: runs(1_000), unbiased: true },
    )
  })

  for (const [name, openBacking] of Object.entries(otherStores)) {
    it(`mean the same to the memory store and to ${name}`, async () => {
      await fc.assert(
        fc.asyncProperty(plainCommands, async (played) => {
          const world = new VirtualWorld()
          await withStore(world, memory, (expected) =>
            withStore(world, openBacking, (stored) => new Script(world, [expected, stored], open).play(played)),
          )
        }),
        { numRuns: runs(name === "sqlite" ? 60 : name === "s3" ? 10 : 30), unbiased: true },
      )
    })

    it(`mean the same to the memory store and to ${name} where gates hold them`, async () => {
      await fc.assert(
        fc.asyncProperty(declared, gateCommands, async (policies, played) => {
          const world = new VirtualWorld()
          const looksAtLess = name === "postgres"
          const ownAffairs = ["waitedMs", "forgotten", "message", ...(looksAtLess ? ["touched"] : [])]
          const setting = { hello: helloOf(policies), largest: largestOf(policies), ownAffairs }
          await withStore(world, memory, (expected) =>
            withStore(world, openBacking, (stored) =>
              new Script(world, looksAtLess ? lookingAtLess(expected, stored) : [expected, stored], setting).play(played),
            ),
          )
        }),
        { numRuns: runs(name === "redis" ? 60 : name === "s3" ? 20 : 140), unbiased: true },
      )
    })
  }
})
