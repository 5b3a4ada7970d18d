// Jobs through the queue: options, environment, what handlers do to the job that they run in.

import { deepEqual, equal, match, ok, rejects, throws } from "node:assert/strict"
import { describe, it } from "node:test"
import { defineLimit, defineTask, PermanentError, RateLimitError } from "../../../src/index.ts"
import { jobBounds } from "../../../src/queue/job-settings.ts"
import { testQueue } from "../../../src/testing/index.ts"
import { sleep } from "../../../src/world/index.ts"

const page = defineTask("page", {
  maxRetries: 0,
  run: async ({ status }: { status?: number }) => {
    if (status === undefined) return "done"
    throw new PermanentError(`answered ${status}`, { status })
  },
})
const report = defineTask("report", { run: async (_input: { of: string }) => "told" })

describe("submitJob", () => {
  it("runs its tasks, tells how far it is, and completes", async () => {
    const queue = await testQueue([page, report])
    const job = await queue.submitJob(
      "import",
      [1, 2, 3].map(() => ({ task: page, input: {} })),
      { onComplete: { task: report, input: { of: "import" } } },
    )
    deepEqual([job.status, job.total, job.progress], ["running", 3, 0])
    await queue.drain()
    const done = await queue.jobs.get(job.id)
    deepEqual([done?.status, done?.ended, done?.progress, done?.tasks.completed], ["completed", 3, 1, 3])
    const follows = await queue.get(done?.onCompleteTaskId ?? "")
    deepEqual([follows?.type, follows?.status, follows?.input], ["report", "completed", { of: "import" }])
    equal((await queue.list({ job: job.id })).tasks.length, 3)
    await queue.close()
  })

  it("takes more tasks than one batch holds, and completes only after the last", async () => {
    const queue = await testQueue([page], { worker: { concurrency: 100 } })
    const job = await queue.submitJob(
      "large",
      Array.from({ length: 2_500 }, () => ({ task: page, input: {} })),
    )
    await queue.drain()
    deepEqual((await queue.jobs.get(job.id))?.tasks.completed, 2_500)
    equal((await queue.jobs.get(job.id))?.status, "completed")
    await queue.close()
  })

  it("lets a handler add to the job that it runs in", async () => {
    const crawl = defineTask("crawl", {
      run: async ({ depth }: { depth: number }, { queue, task }) => {
        if (depth > 0) for (let i = 0; i < 2; i++) await queue.submit("crawl", { depth: depth - 1 }, { job: task.jobId ?? "" })
      },
    })
    const queue = await testQueue([crawl])
    const job = await queue.submitJob("site", [{ task: crawl, input: { depth: 3 } }])
    await queue.drain()
    const done = await queue.jobs.get(job.id)
    deepEqual([done?.status, done?.total], ["completed", 15])
    await queue.close()
  })

  it("keeps its concurrency over all workers", async () => {
    let [now, most] = [0, 0]
    const slow = defineTask("slow", {
      run: async (_input: object, { queue, signal }) => {
        most = Math.max(most, ++now)
        await sleep(queue.world, 1_000, signal)
        now--
      },
    })
    const queue = await testQueue([slow], { worker: { concurrency: 50 } })
    const job = await queue.submitJob(
      "bounded",
      Array.from({ length: 12 }, () => ({ task: slow, input: {} })),
      { concurrency: 3 },
    )
    await queue.advance("1500ms")
    const { slots, running, heldBy } = await queue.jobs.show(job.id)
    deepEqual([slots, running.length, heldBy], [{ held: 3, of: 3 }, 3, `sluice:job/${job.id}`])
    await queue.advance("10s")
    deepEqual([most, (await queue.jobs.get(job.id))?.status], [3, "completed"])
    await queue.close()
  })

  it("fails after so many failures in a row; 404 is none of them", async () => {
    const queue = await testQueue([page], { worker: { concurrency: 1 } })
    const inputs = [404, 500, 404, 500, 410, 500, 500].map((status) => ({ task: page, input: { status } }))
    const job = await queue.submitJob("gone", inputs, { failureThreshold: 3 })
    await queue.drain()
    const ended = await queue.jobs.get(job.id)
    deepEqual([ended?.status, ended?.error, ended?.tasks.failed, ended?.tasks.cancelled], ["failed", "3 tasks in a row failed", 6, 1])
    await rejects(queue.submit(page, {}, { job: job.id }), (error: Error & { code?: string }) => {
      match(error.message, /expected a job that runs, but job ".*" is failed \(3 tasks in a row failed\)/)
      return error.code === "job_ended"
    })
    await rejects(queue.retry((await queue.list({ job: job.id, status: "failed" })).tasks[0]?.id ?? ""), { code: "job_ended" })
    await queue.close()
  })

  it("is not failed by being throttled", async () => {
    let refusals = 30
    const call = defineTask("call", {
      run: async () => {
        if (refusals-- > 0) throw new RateLimitError({ retryAfter: "1s" })
      },
    })
    const queue = await testQueue([call])
    const job = await queue.submitJob(
      "busy",
      Array.from({ length: 5 }, () => ({ task: call, input: {} })),
      { failureThreshold: 1 },
    )
    await queue.advance("60s")
    const done = await queue.jobs.get(job.id)
    deepEqual([done?.status, done?.throttleCount, done?.failureStreak], ["completed", 30, 0])
    await queue.close()
  })

  it("refuses what it does not understand, before anything is stored", async () => {
    const queue = await testQueue([page])
    const wrong: [Parameters<typeof queue.submitJob>, RegExp][] = [
      [["a", {} as never], /submitJob "a": expected an array of \{ task, input \}/],
      [["a", [page as never]], /submitJob "a": tasks\[0\]: expected \{ task, input, options\? \}/],
      [["a b", []], /job: expected/],
      [["a", [], { concurrency: 0 }], /submitJob "a": concurrency: expected a whole number from 1/],
      [["a", [], { failureThresold: 3 } as never], /failureThresold.*did you mean "?failureThreshold/],
      [["a", [], { cancelAfterThrottles: "yes" as never }], /cancelAfterThrottles/],
      [["a", [], { open: 1 as never }], /open: expected true or false/],
      [["a", [], { onComplete: page as never }], /onComplete: expected \{ task, input, options\? \}/],
    ]
    for (const [call, message] of wrong) await rejects(queue.submitJob(...call), message)
    deepEqual((await queue.jobs.list()).jobs, [])
    await rejects(queue.submit(page, {}, { job: "nobody" }), { code: "not_found" })
    await rejects(queue.jobs.cancel("nobody"), { code: "not_found" })
    await queue.close()
  })
})

describe("the bounds of a job", () => {
  const defaults = { concurrency: null, failureThreshold: 20, exemptStatuses: [404, 410], cancelAfterThrottles: null }

  it("are options, then the environment, then defaults", () => {
    deepEqual(jobBounds({}, {}), defaults)
    const environment = {
      SLUICE_JOB_FAILURE_THRESHOLD: "7",
      SLUICE_JOB_CONCURRENCY: "3",
      SLUICE_JOB_EXEMPT_STATUSES: "404, 451",
      SLUICE_JOB_CANCEL_AFTER_THROTTLES: "5 at 30s",
    }
    const read = { concurrency: 3, failureThreshold: 7, exemptStatuses: [404, 451], cancelAfterThrottles: { count: 5, delayMs: 30_000 } }
    deepEqual(jobBounds({}, environment), read)
    deepEqual(jobBounds({ failureThreshold: null, concurrency: 9 }, environment), { ...read, failureThreshold: null, concurrency: 9 })
    deepEqual(jobBounds({}, { SLUICE_JOB_FAILURE_THRESHOLD: "", SLUICE_JOB_EXEMPT_STATUSES: "none" }), { ...defaults, exemptStatuses: [] })
    deepEqual(jobBounds({}, { SLUICE_JOB_CANCEL_AFTER_THROTTLES: "on" }).cancelAfterThrottles, { count: 20, delayMs: 60_000 })
  })

  it("name the variable that is wrong", () => {
    for (const [name, text] of [
      ["SLUICE_JOB_FAILURE_THRESHOLD", "many"],
      ["SLUICE_JOB_EXEMPT_STATUSES", "404;410"],
      ["SLUICE_JOB_CANCEL_AFTER_THROTTLES", "sometimes"],
    ] as const) {
      let told = ""
      try {
        jobBounds({}, { [name]: text })
      } catch (error) {
        told = (error as Error).message
      }
      ok(told.includes(name), `expected ${name} to be named, got ${told}`)
    }
  })
})

describe("names that Sluice keeps for itself", () => {
  it("are no limits of anybody's, nor gates by hand", async () => {
    throws(() => defineLimit("sluice:job", { concurrency: 1 }), /limit name: expected a name that does not begin with "sluice:"/)
    const queue = await testQueue([page])
    const { id } = await queue.submitJob("open", [], { open: true, concurrency: 1 })
    for (const gate of [`sluice:job/${id}`, { limit: "sluice:job", key: id }])
      await rejects(queue.submit("mail", {}, { gates: [gate] }), /expected a name that does not begin with "sluice:"/)
    await queue.close()
  })
})
