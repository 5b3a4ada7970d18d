// Jobs: counters that follow their tasks, what follows a job, its own concurrency, how they are listed and how long they are kept.

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
