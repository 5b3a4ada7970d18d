// The fifth seed's requirement 3 about jobs: a domain that turns to errors fails the job at twenty in a row; what waits is cancelled, and an
// outcome that comes late changes nothing.

import { deepEqual, equal } from "node:assert/strict"
import { it } from "node:test"
import { defineLimit, defineTask, PermanentError, RateLimitError } from "../../src/index.ts"
import { sleep } from "../../src/world/index.ts"
import { onServersToo } from "./stores.ts"

const domain = defineLimit("domain", { concurrency: 4, adaptive: { preset: "linear", minDelay: "100ms" } })

interface Page {
  readonly number: number
}

onServersToo("the job seed", (open) => {
  it("fails at twenty in a row, cancels what waits, and a late outcome changes nothing", async () => {
    const straggler = { settle: (_: unknown) => {} }
    const page = defineTask("page", {
      limits: [domain],
      maxRetries: 0,
      run: async ({ number }: Page, { queue }) => {
        await sleep(queue.world, 50)
        if (number === 0) return new Promise((resolve) => void Object.assign(straggler, { settle: resolve }))
        // One success and one 404 among the first errors: the row begins behind the success, and 404 does not count.
        if (number < 10) return "fine"
        throw new PermanentError(`answered ${number === 15 ? 404 : 500}`, { status: number === 15 ? 404 : 500 })
      },
    })
    const report = defineTask("report", { run: async (_input: object) => {} })
    const queue = await open([page, report], { worker: { concurrency: 4 } })
    const pages = Array.from({ length: 60 }, (_, number) => ({ task: page, input: { number } }))
    const { id } = await queue.submitJob("crawl", pages, { onComplete: { task: report, input: {} } })
    await queue.advance("60s")
    const ended = await queue.jobs.get(id)
    deepEqual(
      [ended?.status, ended?.error, ended?.failureStreak, ended?.tasks.completed, ended?.tasks.failed],
      ["failed", "20 tasks in a row failed", 20, 9, 21],
    )
    // The straggler ignores that it was asked to stop: its worker has let go of it.
    deepEqual([ended?.tasks.pending, ended?.tasks.running, ended?.tasks.cancelled], [0, 0, 30])
    straggler.settle("at last")
    await queue.advance("10s")
    deepEqual((await queue.jobs.get(id))?.toJSON(), ended?.toJSON())
    equal((await queue.counts({ type: "report" })).pending, 0)
  })

  it("is cancelled after twenty refusals in a row at the longest delay, where that is switched on", async () => {
    for (const cancelAfterThrottles of [true, false]) {
      const slow = defineLimit("slow", { concurrency: 4, adaptive: { preset: "linear", step: "30s", max: "60s", maxRetries: null } })
      const page = defineTask("page", {
        limits: [slow],
        run: async (_input: Page) => {
          throw new RateLimitError()
        },
      })
      const queue = await open([page])
      const pages = Array.from({ length: 40 }, (_, number) => ({ task: page, input: { number } }))
      const { id } = await queue.submitJob("crawl", pages, { cancelAfterThrottles })
      await queue.advance("1h")
      const job = await queue.jobs.get(id)
      equal(job?.status, cancelAfterThrottles ? "cancelled" : "running")
      if (cancelAfterThrottles) deepEqual([job?.tasks.cancelled, job?.failureStreak], [40, 0])
    }
  })
})
