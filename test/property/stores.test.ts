// Random commands, played on two queues at once: the memory store means what the model means, and every other store means
// what the memory store means. SLUICE_PROPERTY_RUNS raises the number of runs; a failure prints its seed.

import { describe, it } from "node:test"
import fc from "fast-check"
import type { OpenBacking } from "../../src/testing/conformance/index.ts"
import { VirtualWorld } from "../../src/testing/virtual-world.ts"
import { openers } from "../conformance/openers.ts"
import { commands } from "./commands.ts"
import { Model } from "./model.ts"
import { type Call, Script } from "./script.ts"

const runs = (usual: number) => Number(process.env.SLUICE_PROPERTY_RUNS ?? usual)
const { memory, ...others } = openers as Readonly<Record<string, OpenBacking>> & { readonly memory: OpenBacking }

/** Calls take turns on two connections, so that nothing a connection remembers by itself goes unnoticed. */
async function withStore(world: VirtualWorld, openBacking: OpenBacking, use: (call: Call) => Promise<void>): Promise<void> {
  const backing = await openBacking()
  const [one, two] = [await backing.open({ world }), await backing.open({ world })]
  let calls = 0
  try {
    await use((operation, request) => (calls++ % 2 === 0 ? one : two)[operation](request as never))
  } finally {
    await one.close()
    await two.close()
    await backing.close()
  }
}

describe("random commands", () => {
  it("mean the same to the memory store and to the model", async () => {
    await fc.assert(
      fc.asyncProperty(commands, async (played) => {
        const world = new VirtualWorld()
        const model = new Model(() => world.wallMs())
        const asked: Call = async (operation, request) => model.call(operation, request as never)
        await withStore(world, memory, (stored) => new Script(world, [asked, stored]).play(played))
      }),
      { numRuns: runs(500), unbiased: true },
    )
  })

  for (const [name, openBacking] of Object.entries(others)) {
    it(`mean the same to the memory store and to ${name}`, async () => {
      await fc.assert(
        fc.asyncProperty(commands, async (played) => {
          const world = new VirtualWorld()
          await withStore(world, memory, (expected) =>
            withStore(world, openBacking, (stored) => new Script(world, [expected, stored]).play(played)),
          )
        }),
        { numRuns: runs(100), unbiased: true },
      )
    })
  }
})
