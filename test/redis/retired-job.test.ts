// Retention looks at so many entries a step. Behind a row of others that it only passes over, a job can go before the last of its tasks.

import { ok } from "node:assert/strict"
import { it } from "node:test"
import { runStoreTest } from "../../src/testing/conformance/index.ts"
import { startJob } from "../../src/testing/conformance/job-kit.ts"
import { theme } from "../../src/testing/conformance/kit.ts"
import { completed, failed, said } from "../../src/testing/conformance/outcomes.ts"
import { openers } from "../conformance/openers.ts"

/** More entries, dead or alive, than one step passes over. */
const batches = 11
const [test] = theme("redis", {
  "a task whose job retention has taken first is not brought back without it": async (bench) => {
    const worker = bench.worker()
    for (let i = 0; i < batches; i++) {
      const others = await bench.submitMany(500)
      for (let rest = others.length; rest > 0; ) {
        const claimed = await worker.claim()
        await worker.exchange({ settles: claimed.map((task) => said(task, completed())) })
        rest -= claimed.length
      }
      await bench.store.archive({ ids: others.map(({ id }) => id) })
    }
    await startJob(bench, 1, { concurrency: 1 })
    const task = await worker.claimOne()
    await worker.settle(task, failed())
    await bench.world.advance(30_000)
    await bench.sweep({ retentionMs: 20_000 })
    await bench.move("retry", task)
    const other = await bench.submit()
    // Whatever has become of it: it holds up nobody else.
    ok((await worker.claim()).some(({ id }) => id === other.id))
  },
})

if (test) it(test.name, () => runStoreTest(test, openers.redis as NonNullable<typeof openers.redis>))
