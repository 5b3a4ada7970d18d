// Jobs that fail or are cancelled: what brings them there, and what becomes of their tasks.

import { deepEqual, equal, ok } from "node:assert/strict"
import { only } from "./assertions.ts"
import { jobOf, startJob } from "./job-kit.ts"
import { theme } from "./kit.ts"
import { cancelled, completed, failed, rescheduled, retried, said, throttled } from "./outcomes.ts"

const none = { pending: 0, running: 0, completed: 0, failed: 0, cancelled: 0, expired: 0 }

export const jobsEndedTests = theme("jobs-ended", {
  "so many failures in a row fail the job: nothing of it starts again, what runs is asked to stop": async (bench) => {
    const id = await startJob(bench, 8, { failureThreshold: 3 })
    const worker = bench.worker()
    const [a, b, c, d] = await worker.claim({ max: 4 })
    ok(a && b && c && d)
    await worker.settle(a, failed())
    await worker.settle(b, failed())
    const { claimed, cancelled: stopped } = await worker.exchange({ settles: [said(c, failed())], claim: worker.nextClaim() })
    deepEqual(claimed, [])
    deepEqual(stopped, [{ id: d.id, fence: d.fence }])
    const job = await jobOf(bench, id)
    deepEqual([job.status, job.tasks, job.failureStreak], ["failed", { ...none, running: 1, failed: 3, cancelled: 4 }, 3])
    match3(job.error)
  },

  "outcomes after the end change nothing of the job": async (bench) => {
    const follows = bench.newTask({ type: "report" })
    const id = await startJob(bench, 3, { failureThreshold: 1, onComplete: follows })
    const worker = bench.worker()
    const [a, b, c] = await worker.claim()
    ok(a && b && c)
    await worker.settle(a, failed())
    const ended = await jobOf(bench, id)
    await bench.world.advance(1_000)
    await worker.settle(b, completed())
    await worker.settle(c, failed("again"))
    const after = await jobOf(bench, id)
    deepEqual(
      [after.status, after.error, after.endedAtMs, after.failureStreak, after.onCompleteTaskId],
      ["failed", ended.error, ended.endedAtMs, 1, null],
    )
    deepEqual(after.tasks, { ...none, completed: 1, failed: 2 })
    deepEqual(await bench.counts("report"), {})
  },

  "a completion resets the row of failures; refusals and exempt statuses neither add nor reset": async (bench) => {
    const id = await startJob(bench, 10, { failureThreshold: 3, exemptStatuses: [404] }, { maxThrottles: 0, maxRetries: 0 })
    const worker = bench.worker()
    const held = await worker.claim()
    const outcomes = [
      failed(),
      completed(),
      failed(),
      { ...failed(), status: 404 } as const,
      throttled(),
      { ...retried(), status: 404 } as const,
      { ...retried(), status: 500 } as const,
    ]
    for (const [i, outcome] of outcomes.entries()) await worker.settle(held[i] ?? only([]), outcome)
    const job = await jobOf(bench, id)
    deepEqual([job.status, job.failureStreak, job.throttles], ["running", 2, 1])
    await worker.settle(held[7] ?? only([]), rescheduled())
    await worker.settle(held[8] ?? only([]), failed())
    equal((await jobOf(bench, id)).status, "failed")
  },

  "what is settled together counts in its order": async (bench) => {
    const id = await startJob(bench, 4, { failureThreshold: 2 })
    const worker = bench.worker()
    const [a, b, c, d] = await worker.claim()
    ok(a && b && c && d)
    await worker.exchange({ settles: [said(a, failed()), said(b, completed()), said(c, failed())] })
    const job = await jobOf(bench, id)
    deepEqual([job.status, job.failureStreak], ["running", 1])
  },

  "leases that are lost once too often count as failures": async (bench) => {
    const id = await startJob(bench, 2, { failureThreshold: 2 }, { maxRetries: 0 })
    const worker = bench.worker()
    await worker.exchange({ leaseMs: 1_000, claim: worker.nextClaim() })
    await bench.world.advance(2_000)
    await bench.sweep()
    equal((await jobOf(bench, id)).status, "failed")
  },

  "refusals at a long distance cancel the job, where it says so": async (bench) => {
    const bound = { count: 2, delayMs: 60_000 }
    for (const cancelAfterThrottles of [bound, null]) {
      const limit = cancelAfterThrottles ? "slow" : "other"
      const linear = { preset: "linear", stepUs: 60_000_000, mostUs: 60_000_000, probeAfter: 20, baseDelayUs: 0 } as const
      const adaptive = { ...linear, slotUs: 5_000_000, floorDecayUs: 3_600_000_000, maxRetries: null }
      await bench.declare(limit, { rates: [], concurrency: null, adaptive })
      const id = await startJob(bench, 4, { cancelAfterThrottles }, { gates: [{ limit, key: "", cost: 1 }], type: limit })
      const worker = bench.worker(limit)
      for (let i = 0; i < 3; i++) {
        const [task] = await worker.claim({ types: [{ type: limit, room: 1 }], max: 1 })
        if (!task) break
        await worker.settle(task, throttled())
        await bench.world.advance(400_000)
      }
      const job = await jobOf(bench, id)
      equal(job.status, cancelAfterThrottles ? "cancelled" : "running")
    }
  },

  "a task of a job that failed or was cancelled is not retried": async (bench) => {
    const id = await startJob(bench, 2, { failureThreshold: 1 })
    const worker = bench.worker()
    const task = await worker.claimOne({ max: 1 })
    await worker.settle(task, failed())
    const result = await bench.move("retry", task)
    ok(result.kind === "job_ended")
    equal(result.job.id, id)
    equal(await bench.status(task), "failed")
  },

  "a cancelled job stops at once, however many tasks it has, a step's worth at a time": async (bench) => {
    const id = await startJob(bench, 700, { concurrency: 5 })
    const worker = bench.worker()
    const held = await worker.claim()
    equal(held.length, 5)
    const first = await bench.store.changeJob({ id, change: { kind: "cancel", reason: "enough" } })
    ok(first.kind === "ok")
    deepEqual([first.report.job.status, first.report.job.error, first.more], ["cancelled", "enough", true])
    equal((await worker.cancelled()).length, 5)
    deepEqual(await worker.claim(), [])
    const swept = await bench.sweep()
    ok(swept.stopped > 0)
    await worker.exchange({ settles: held.map((task) => said(task, cancelled)) })
    deepEqual((await jobOf(bench, id)).tasks, { ...none, cancelled: 700 })
    equal((await bench.sweep()).stopped, 0)
  },

  "what waits elsewhere of a job that has ended is never started": async (bench) => {
    await bench.declare("api", { rates: [], concurrency: 1 })
    const gates = [{ limit: "api", key: "", cost: 1 }]
    const [blocker] = await bench.submitAll([{ gates }])
    const worker = bench.worker()
    const held = await worker.claimOne()
    equal(held.id, blocker?.id)
    const id = await startJob(bench, 600, {}, { gates })
    const scheduled = await bench.submit({ jobId: id, schedule: { inMs: 5_000 } })
    await worker.claim()
    await bench.store.changeJob({ id, change: { kind: "cancel", reason: null } })
    await bench.world.advance(6_000)
    const answer = await worker.exchange({ settles: [said(held, completed())], claim: worker.nextClaim() })
    deepEqual(answer.claimed, [])
    await bench.sweep()
    equal(await bench.status(scheduled), "cancelled")
    deepEqual((await jobOf(bench, id)).tasks, { ...none, cancelled: 601 })
  },

  "a job that has ended stays as long as the last of its tasks, which may have run on": async (bench) => {
    const id = await startJob(bench, 2, { concurrency: 2, failureThreshold: 1 })
    const worker = bench.worker()
    const [a, b] = await worker.claim()
    ok(a && b)
    await worker.settle(a, failed())
    await bench.world.advance(20_000)
    await worker.settle(b, failed())
    await bench.world.advance(10_000)
    await bench.sweep({ retentionMs: 20_000 })
    deepEqual(await bench.counts(), { failed: 1 })
    equal((await bench.move("retry", b)).kind, "job_ended")
    const other = await bench.submit()
    equal((await worker.claimOne()).id, other.id)
    await bench.world.advance(10_000)
    await bench.sweep({ retentionMs: 20_000 })
    equal((await bench.store.job({ id })).detail, null)
    deepEqual(await bench.counts(), { running: 1 })
  },

  "changes of a job that is not there, or has ended, are told": async (bench) => {
    deepEqual(await bench.store.changeJob({ id: "nobody", change: { kind: "close" } }), { kind: "missing" })
    deepEqual(await bench.store.job({ id: "nobody" }), { detail: null })
    const id = await startJob(bench, 0)
    equal((await bench.store.changeJob({ id, change: { kind: "cancel", reason: null } })).kind, "ended")
    const other = await startJob(bench, 1)
    equal((await bench.store.changeJob({ id: other, change: { kind: "concurrency", concurrency: 2 } })).kind, "unbounded")
    const change = { kind: "cancel", reason: "mine" } as const
    const [a, b] = [await bench.store.changeJob({ id: other, change }), await bench.store.changeJob({ id: other, change })]
    ok(a.kind === "ok" && b.kind === "ok")
    deepEqual(b.report.job, a.report.job)
  },
})

function match3(error: string | null): void {
  ok(error?.startsWith("3 tasks in a row"), `expected the error to tell how many, got ${error}`)
}
