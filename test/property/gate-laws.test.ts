// Random commands on a queue with limits, with an observer that knows nothing but requests and answers.

import { describe, it } from "node:test"
import fc from "fast-check"
import { VirtualWorld } from "../../src/testing/virtual-world.ts"
import { declared, helloOf, keys, largestOf, lawfulCommands, limitNames } from "./gate-commands.ts"
import { Laws, type Looks } from "./gate-laws.ts"
import { runs } from "./runs.ts"
import { type Call, Script } from "./script.ts"
import { everyStore, withStore } from "./with-store.ts"

const pending = {
  statuses: ["pending"],
  type: null,
  tag: null,
  jobId: null,
  createdFromMs: null,
  createdBeforeMs: null,
  beforeSeq: null,
  limit: 1_000,
}

function looksAt(call: Call): Looks {
  return {
    pending: async () => ((await call("list", pending)) as { tasks: never[] }).tasks,
    gates: async () => {
      const answers = []
      for (const limit of limitNames)
        answers.push((await call("gates", { limit, keys, afterKey: null, count: 9 })) as { nowMs: number; gates: never[] })
      return { nowMs: answers[0]?.nowMs ?? 0, gates: answers.flatMap(({ gates }) => gates) }
    },
  }
}

/** On memory until it hurts; on the others what they do by themselves is held to memory elsewhere (stores.test.ts). */
const usual: Readonly<Record<string, number>> = { memory: 4_500, s3: 6 }

describe("gates", () => {
  for (const [name, openBacking] of Object.entries(everyStore)) {
    it(`keep their laws on ${name}, whatever happens`, async () => {
      await fc.assert(
        fc.asyncProperty(declared, lawfulCommands, async (policies, played) => {
          const world = new VirtualWorld()
          await withStore(world, openBacking, async (call) => {
            const laws = new Laws(policies, looksAt(call))
            const watch = (operation: string, request: unknown, answer: unknown) => laws.saw(operation, request, answer)
            const setting = { hello: helloOf(policies), largest: largestOf(policies), ownAffairs: [], watch }
            await new Script(world, [call], setting).play(played)
            laws.checkRun()
          })
        }),
        { numRuns: runs(usual[name] ?? 25), unbiased: true },
      )
    })
  }
})
