// Jobs: counters that follow their tasks, the ends that a job comes to, what follows it.

import { deepEqual, equal, ok } from "node:assert/strict"
import { jobLimit } from "../../task/index.ts"
import { only } from "./assertions.ts"
import { detailOf, jobOf, newJob, startJob } from "./job-kit.ts"
import { theme } from "./kit.ts"
import { cancelled, completed, failed, released, rescheduled, retried, said, throttled } from "./outcomes.ts"

const none = { pending: 0, running: 0, completed: 0, failed: 0, cancelled: 0, expired: 0 }

export const jobTests = theme("jobs", {
  "a job counts its tasks as they change, and completes with the last": async (bench) => {
    const id = await startJob(bench, 3)
    deepEqual((await jobOf(bench, id)).tasks, { ...none, pending: 3 })
    const worker = bench.worker()
    const [a, b, c] = await worker.claim()
    ok(a && b && c)
    deepEqual((await jobOf(bench, id)).tasks, { ...none, running: 3 })
    await worker.settle(a, completed())
    await worker.settle(b, failed())
    const before = await jobOf(bench, id)
    deepEqual([before.status, before.tasks], ["running", { ...none, running: 1, completed: 1, failed: 1 }])
    await bench.world.advance(500)
    await worker.settle(c, completed())
    const after = await jobOf(bench, id)
    deepEqual([after.status, after.tasks, after.endedAtMs], ["completed", { ...none, completed: 2, failed: 1 }, bench.world.wallMs()])
  },

  "tasks that come back are pending again, and tasks that expire or are cancelled have ended": async (bench) => {
    const id = await startJob(bench, 5, {}, { maxRetries: 1 })
    const worker = bench.worker()
    const [a, b, c, d, e] = await worker.claim()
    ok(a && b && c && d && e)
    await worker.settle(a, retried(1_000))
    await worker.settle(b, rescheduled(1_000))
    await worker.settle(c, throttled(1_000))
    await worker.settle(d, released())
    await bench.move("cancel", e)
    deepEqual((await jobOf(bench, id)).tasks, { ...none, pending: 4, running: 1 })
    await worker.settle(e, cancelled)
    await bench.move("expire", a)
    await bench.move("cancel", b)
    deepEqual((await jobOf(bench, id)).tasks, { ...none, pending: 2, cancelled: 2, expired: 1 })
    equal((await jobOf(bench, id)).status, "running")
  },

  "a job that is open does not complete before it is closed": async (bench) => {
    const id = await startJob(bench, 1, { isOpen: true })
    const worker = bench.worker()
    await worker.settle(await worker.claimOne(), completed())
    equal((await jobOf(bench, id)).status, "running")
    await bench.submit({ jobId: id })
    await worker.settle(await worker.claimOne(), completed())
    const answer = await bench.store.changeJob({ id, change: { kind: "close" } })
    ok(answer.kind === "ok")
    deepEqual([answer.report.job.status, answer.report.job.tasks], ["completed", { ...none, completed: 2 }])
  },

  "while one of its tasks runs, more can be added; after its end, none": async (bench) => {
    const id = await startJob(bench, 1)
    const worker = bench.worker()
    const first = await worker.claimOne()
    const added = await bench.submit({ jobId: id })
    await worker.settle(first, completed())
    equal((await jobOf(bench, id)).status, "running")
    await worker.settle(await worker.claimOne(), completed())
    const late = await bench.store.submit({ tasks: [bench.newTask(), bench.newTask({ jobId: id })] })
    ok(late.kind === "job_ended")
    deepEqual([late.index, late.job.status], [1, "completed"])
    // The submission that was answered already is answered again.
    const again = await bench.store.submit({ tasks: [{ ...bench.newTask({ jobId: id }), id: added.id }] })
    ok(again.kind === "ok")
    equal(again.tasks[0]?.created, false)
    const unknown = await bench.store.submit({ tasks: [bench.newTask({ jobId: "nobody" })] })
    deepEqual(unknown, { kind: "unknown_job", index: 0, jobId: "nobody" })
    deepEqual(await bench.counts(), { completed: 2 })
  },

  "a job without tasks has completed when it is submitted, and a repeated submission makes no second one": async (bench) => {
    const job = newJob(bench)
    const first = await bench.store.submit({ tasks: [], newJob: job })
    const again = await bench.store.submit({ tasks: [], newJob: job })
    ok(first.kind === "ok" && again.kind === "ok")
    equal(first.job?.status, "completed")
    deepEqual(again.job, first.job)
    const { jobs } = await bench.store.jobs({ ids: null, name: null, statuses: null, beforeSeq: null, limit: 10 })
    equal(jobs.length, 1)
  },

  "a batch that is refused makes no job": async (bench) => {
    const job = newJob(bench)
    const refused = await bench.store.submit({ tasks: [bench.newTask({ jobId: job.id }), bench.newTask({ jobId: "nobody" })], newJob: job })
    equal(refused.kind, "unknown_job")
    deepEqual((await bench.store.jobs({ ids: [job.id], name: null, statuses: null, beforeSeq: null, limit: 1 })).jobs, [])
    deepEqual(await bench.counts(), {})
  },

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

  "what follows is submitted once, when the job completes": async (bench) => {
    const follows = bench.newTask({ type: "report" })
    const id = await startJob(bench, 2, { onComplete: follows })
    const worker = bench.worker()
    const [a, b] = await worker.claim()
    ok(a && b)
    await worker.settle(a, completed())
    deepEqual(await bench.counts("report"), {})
    await worker.settle(b, failed())
    equal((await jobOf(bench, id)).onCompleteTaskId, follows.id)
    equal(await bench.status(follows), "pending")
    // One of its tasks is wanted again: the job runs again, and nothing follows twice.
    await bench.move("retry", b)
    equal((await jobOf(bench, id)).status, "running")
    await worker.settle(await worker.claimOne(), completed())
    deepEqual([(await jobOf(bench, id)).status, await bench.counts("report")], ["completed", { pending: 1 }])
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

  "the concurrency of a job bounds what runs of it, and nothing else": async (bench) => {
    const id = await startJob(bench, 5, { concurrency: 2 })
    await bench.submitMany(2)
    const worker = bench.worker()
    const held = await worker.claim()
    deepEqual([held.filter(({ jobId }) => jobId === id).length, held.length], [2, 4])
    const mine = held.filter(({ jobId }) => jobId === id)
    const answer = await worker.exchange({ settles: [said(mine[0] ?? only([]), completed())], claim: worker.nextClaim() })
    equal(answer.claimed.length, 1)
    const { gates, heldBy } = await detailOf(bench, id)
    deepEqual([heldBy, only(gates).slots], [`${jobLimit}/${id}`, { held: 2, of: 2 }])
    await bench.store.changeJob({ id, change: { kind: "concurrency", concurrency: 3 } })
    equal((await worker.claim()).length, 1)
  },

  "a refusal by the other side does not hold up the job's own gate": async (bench) => {
    const id = await startJob(bench, 2, { concurrency: 1 })
    const worker = bench.worker()
    await worker.settle(await worker.claimOne(), throttled(60_000))
    equal((await worker.claim()).length, 1)
    equal((await jobOf(bench, id)).throttles, 1)
  },

  "what was submitted without the code passes the job's gate as well, once it is routed": async (bench) => {
    const id = await startJob(bench, 3, { concurrency: 1 }, { gates: null, type: "later" })
    const { tasks } = await bench.store.unrouted({ types: ["later"], limit: 10 })
    await bench.store.route({ routes: tasks.map((task) => ({ id: task.id, gates: [], flow: null })) })
    equal((await bench.worker().claim({ types: [{ type: "later", room: 10 }] })).length, 1)
    equal((await jobOf(bench, id)).tasks.running, 1)
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

  "jobs are listed newest first, by page, by name and by status": async (bench) => {
    const ids: string[] = []
    for (const name of ["a", "b", "a"]) ids.push(await startJob(bench, 1, { name }))
    const ask = { ids: null, name: null, statuses: null, beforeSeq: null, limit: 2 }
    const first = await bench.store.jobs(ask)
    deepEqual(
      first.jobs.map(({ job }) => job.id),
      [ids[2], ids[1]],
    )
    const second = await bench.store.jobs({ ...ask, beforeSeq: first.nextBeforeSeq })
    deepEqual(
      second.jobs.map(({ job }) => job.id),
      [ids[0]],
    )
    equal(second.nextBeforeSeq, null)
    deepEqual(
      (await bench.store.jobs({ ...ask, name: "a" })).jobs.map(({ job }) => job.id),
      [ids[2], ids[0]],
    )
    await bench.store.changeJob({ id: ids[1] ?? "", change: { kind: "cancel", reason: null } })
    deepEqual(
      (await bench.store.jobs({ ...ask, statuses: ["cancelled"] })).jobs.map(({ job }) => job.id),
      [ids[1]],
    )
    deepEqual(
      (await bench.list({ jobId: ids[0] ?? "" })).map(({ jobId }) => jobId),
      [ids[0]],
    )
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

  "retention takes jobs with their tasks, and never one that runs": async (bench) => {
    const done = await startJob(bench, 1)
    const worker = bench.worker()
    await worker.settle(await worker.claimOne(), completed())
    const open = await startJob(bench, 0, { isOpen: true })
    await bench.world.advance(10_000)
    await bench.sweep({ retentionMs: 20_000 })
    ok(await jobOf(bench, done))
    await bench.world.advance(20_000)
    await bench.sweep({ retentionMs: 20_000 })
    const { jobs } = await bench.store.jobs({ ids: [done, open], name: null, statuses: null, beforeSeq: null, limit: 10 })
    deepEqual(
      jobs.map(({ job }) => job.id),
      [open],
    )
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

  "progress tells the rate and when it ends, by its own pace or by its gate": async (bench) => {
    const id = await startJob(bench, 100)
    const worker = bench.worker()
    for (let i = 0; i < 20; i++) {
      const held = await worker.claim({ max: 2 })
      await bench.world.advance(1_000)
      await worker.exchange({ settles: held.map((task) => said(task, completed())) })
    }
    const { jobs, nowMs } = await bench.store.jobs({ ids: [id], name: null, statuses: null, beforeSeq: null, limit: 1 })
    const { ratePerSecond, finish } = only(jobs)
    ok(ratePerSecond !== null && Math.abs(ratePerSecond - 2) < 0.2, `expected about 2/s, got ${ratePerSecond}`)
    ok(finish?.basis === "rate" && Math.abs(finish.atMs - nowMs - 30_000) < 3_000, `expected about 30 s, got ${JSON.stringify(finish)}`)
    const rates = [{ limit: 1, perUs: 10_000_000, provider: "sliding", burst: 1, phaseUs: 0, guardUs: 0, slackUs: 0 } as const]
    await bench.declare("slow", { rates, concurrency: null })
    const held = await startJob(bench, 10, {}, { gates: [{ limit: "slow", key: "", cost: 1 }], type: "gated" })
    const report = only((await bench.store.jobs({ ids: [held], name: null, statuses: null, beforeSeq: null, limit: 1 })).jobs)
    deepEqual([report.finish?.basis, report.finish?.gate], ["gate", "slow"])
    ok(Math.abs((report.finish?.atMs ?? 0) - nowMs - 90_000) <= 10_000, JSON.stringify(report.finish))
  },
})

function match3(error: string | null): void {
  ok(error?.startsWith("3 tasks in a row"), `expected the error to tell how many, got ${error}`)
}
