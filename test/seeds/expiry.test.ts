// Every API example of the second seed (expiry), in TypeScript, with the behaviour that the seed gives for it.

import { deepEqual, equal, ok, rejects } from "node:assert/strict"
import { it } from "node:test"
import { defineTask, PermanentError, RescheduleError, type Task } from "../../src/index.ts"
import type { TestQueue } from "../../src/testing/index.ts"
import { sleep } from "../../src/world/index.ts"
import { onEveryStore } from "./stores.ts"

/** A worker needs something to do, and the tasks of these examples are to be left alone. */
const unrelated = defineTask("unrelated", { run: () => null })

async function now(queue: TestQueue, { id }: { readonly id: string }): Promise<Task> {
  const task = await queue.get(id)
  ok(task)
  return task
}

// Virtual time starts at noon on 28 January 2026.
onEveryStore("the expiry seed", (open) => {
  it("submit with absolute expiration", async () => {
    const queue = await open([unrelated])
    const at = new Date("2026-01-28T17:00:00Z")
    for (const expiresAt of [at, "2026-01-28T17:00:00Z", "2026-01-28T18:00:00+01:00"]) {
      const task = await queue.submit("send_reminder", { user_id: "123" }, { expiresAt })
      deepEqual([task.status, task.expiresAt, task.expiredAt], ["pending", at, null])
    }
  })

  it("submit with relative TTL", async () => {
    const queue = await open([unrelated])
    const task = await queue.submit("process_event", { event_id: "456" }, { ttl: "1h" })
    deepEqual(task.expiresAt, new Date("2026-01-28T13:00:00Z"))
  })

  it("submit with TTL in seconds", async () => {
    const queue = await open([unrelated])
    const task = await queue.submit("quick_task", { data: "..." }, { ttlSeconds: 300 })
    deepEqual(task.expiresAt, new Date("2026-01-28T12:05:00Z"))
  })

  it("check if expired", async () => {
    const queue = await open([unrelated])
    const { id } = await queue.submit("quick_task", null, { ttlSeconds: 300 })
    await queue.advance("6m")
    const task = await now(queue, { id })
    equal(task.status, "expired")
    equal(`Task expired at ${task.expiresAt?.toISOString()}`, "Task expired at 2026-01-28T12:05:00.000Z")
  })

  it("check remaining time, by the clock of the store", async () => {
    const queue = await open([unrelated])
    const task = await queue.submit("process_event", null, { ttl: "1h" })
    await queue.advance("20m")
    ok(task.expiresAt)
    equal(task.expiresAt.getTime() - (await queue.now()).getTime(), 40 * 60_000)
  })

  it("Rust: expires_at in two hours, ttl of 30 minutes", async () => {
    const queue = await open([unrelated])
    const inTwoHours = new Date((await queue.now()).getTime() + 2 * 3_600_000)
    const reminder = await queue.submit("send_reminder", { user_id: "123" }, { expiresAt: inTwoHours })
    const event = await queue.submit("process_event", { event_id: "456" }, { ttl: "30m" })
    deepEqual([reminder.expiresAt, event.expiresAt], [inTwoHours, new Date("2026-01-28T12:30:00Z")])
  })

  it("task object: expires_at and expired_at in the document", async () => {
    const queue = await open([unrelated])
    const { id } = await queue.submit("send_reminder", { user_id: "123" }, { expiresAt: "2026-01-28T17:00:00Z" })
    const pick = async () => {
      const { task_type, status, input, expires_at, expired_at } = (await now(queue, { id })).toJSON()
      return { task_type, status, input, expires_at, expired_at }
    }
    const document = { task_type: "send_reminder", input: { user_id: "123" }, expires_at: "2026-01-28T17:00:00Z" }
    deepEqual(await pick(), { ...document, status: "pending", expired_at: null })
    await queue.markExpired(id)
    deepEqual(await pick(), { ...document, status: "expired", expired_at: "2026-01-28T12:00:00Z" })
  })

  it("worker behavior: what has expired is marked and not run, at the instant of its expiry already", async () => {
    const ran: string[] = []
    const remind = defineTask("send_reminder", {
      run: async (name: string, { queue }) => {
        ran.push(name)
        await sleep(queue.world, 60_000)
      },
    })
    const queue = await open([remind], { worker: { concurrency: 1, sweep: "1d" } })
    await queue.submit(remind, "blocks for a minute")
    const exact = await queue.submit(remind, "expires exactly then", { ttl: "60s" })
    const late = await queue.submit(remind, "expires before that", { ttl: "59s" })
    const good = await queue.submit(remind, "still good", { ttl: "60001ms" })
    await queue.advance("60s")
    deepEqual(ran, ["blocks for a minute", "still good"])
    deepEqual([(await now(queue, exact)).status, (await now(queue, late)).status], ["expired", "expired"])
    equal((await now(queue, good)).status, "running")
    equal((await now(queue, late)).attempt, 0)
  })

  it("monitor behavior: a sweep marks expired tasks that nobody claims", async () => {
    const queue = await open([unrelated])
    const swept: number[] = []
    queue.ownWorker.on("sweep.done", ({ expired }) => swept.push(expired))
    const { id } = await queue.submit("nobody_runs_this", null, { ttl: "1m" })
    await queue.advance("59s")
    equal((await now(queue, { id })).status, "pending")
    await queue.advance("13s")
    equal((await now(queue, { id })).status, "expired")
    deepEqual(swept, [1])
  })

  it("mark_expired: a pending task expires now", async () => {
    const queue = await open([unrelated])
    const { id } = await queue.submit("send_reminder", null, { ttl: "1h" })
    await queue.advance("10m")
    const task = await queue.markExpired(id)
    const at = new Date("2026-01-28T12:10:00Z")
    deepEqual([task.status, task.expiredAt, task.updatedAt], ["expired", at, at])
  })

  it("mark_expired: refuses a task that is not pending, and names both statuses", async () => {
    const work = defineTask("work", {
      run: async (end: string, { queue }) => {
        if (end === "runs") await sleep(queue.world, 3_600_000)
        return end
      },
    })
    const fail = defineTask("fail", {
      run: () => {
        throw new PermanentError("no")
      },
    })
    const queue = await open([work, fail])
    const running = await queue.submit(work, "runs")
    const completed = await queue.submit(work, "done")
    const failed = await queue.submit(fail, null)
    const cancelled = await queue.submit("left_alone", null)
    const expired = await queue.submit("left_alone", null, { ttl: 0 })
    await queue.cancel(cancelled.id)
    await queue.world.settle()
    for (const [status, { id }] of Object.entries({ running, completed, failed, cancelled, expired })) {
      await rejects(queue.markExpired(id), {
        name: "IllegalTransitionError",
        code: "illegal_transition",
        from: status,
        to: "expired",
        message: `task ${id}: cannot move from "${status}" to "expired"; only a pending task can expire`,
      })
      equal((await now(queue, { id })).status, status)
    }
  })

  it("mark_expired: refuses an id that nobody has", async () => {
    const queue = await open([unrelated])
    await rejects(queue.markExpired("no-such-task"), { code: "not_found" })
  })

  it("expiration during execution: the task continues to completion", async () => {
    const work = defineTask("process", {
      run: async (_input: unknown, { queue, signal }) => {
        await sleep(queue.world, 120_000, signal)
        return { aborted: signal.aborted }
      },
    })
    const queue = await open([work])
    const { id } = await queue.submit(work, null, { ttl: "1m" })
    await queue.advance("90s")
    equal((await now(queue, { id })).status, "running")
    await queue.advance("30s")
    await queue.drain()
    const task = await now(queue, { id })
    deepEqual([task.status, task.output, task.expiredAt], ["completed", { aborted: false }, null])
  })

  it("expiration during execution: a handler may look at the remaining time and abort early", async () => {
    const handle = defineTask("process", {
      run: async (_input: unknown, ctx) => {
        const now = await ctx.queue.now()
        if (ctx.task.expiresAt && ctx.task.expiresAt.getTime() - now.getTime() < 60_000) {
          throw new PermanentError("Task about to expire, aborting")
        }
        return "processed"
      },
    })
    const queue = await open([handle])
    const tight = await queue.submit(handle, null, { ttl: "59s" })
    const roomy = await queue.submit(handle, null, { ttl: "60s" })
    await queue.drain()
    const { status, lastError, retryCount } = await now(queue, tight)
    deepEqual({ status, lastError, retryCount }, { status: "failed", lastError: "Task about to expire, aborting", retryCount: 0 })
    equal((await now(queue, roomy)).output, "processed")
  })

  it("retry with expiration: expires_at stays; a retry that would come too late expires at once", async () => {
    let delayed = 0
    const flaky = defineTask("flaky", {
      maxRetries: 100,
      run: () => {
        delayed++
        throw new Error("try again")
      },
    })
    const queue = await open([flaky], { worker: { backoff: { base: "5m", cap: "5m" }, sweep: "1d" } })
    const { id, expiresAt } = await queue.submit(flaky, null, { ttl: "10m" })
    await queue.advance("10m")
    const task = await now(queue, { id })
    equal(task.status, "expired")
    deepEqual(task.expiresAt, expiresAt)
    equal(task.retryCount, delayed)
    const events = (await queue.history(id)).map(({ event }) => event)
    deepEqual(events.slice(-2), ["claimed", "expired"])
    ok(task.expiredAt && expiresAt && task.expiredAt < expiresAt, "expected it not to wait for a sweep")
  })

  it("reschedule with expiration: the worker can extend it", async () => {
    const extend = defineTask("extend", {
      run: (_input: unknown, { task }) => {
        if (task.rescheduleCount === 0) throw new RescheduleError({ delaySeconds: 60, extendExpirationSeconds: 120 })
        return "in time"
      },
    })
    const queue = await open([extend])
    const { id } = await queue.submit(extend, null, { ttl: "30s" })
    await queue.drain()
    deepEqual((await now(queue, { id })).expiresAt, new Date("2026-01-28T12:02:30Z"))
    await queue.advance("60s")
    await queue.drain()
    equal((await now(queue, { id })).output, "in time")
    equal(
      (await queue.history(id))[2]?.text,
      "Version 3: pending (rescheduled, available_at: +60s, count: 1, expires_at: 2026-01-28T12:02:30Z)",
    )
  })

  it("reschedule with expiration: without an extension, one that would come too late expires at once", async () => {
    const later = defineTask("later", {
      run: () => {
        throw new RescheduleError({ delaySeconds: 60 })
      },
    })
    const queue = await open([later])
    const { id } = await queue.submit(later, null, { ttl: "30s" })
    await queue.drain()
    equal((await now(queue, { id })).status, "expired")
  })

  it("zero TTL: submitted already expired, and never run", async () => {
    let runs = 0
    const work = defineTask("work", {
      run: () => {
        runs++
      },
    })
    const queue = await open([work])
    for (const options of [{ ttl: 0 }, { ttl: "0s" }, { ttlSeconds: 0 }, { expiresAt: "2026-01-28T12:00:00Z" }] as const) {
      const task = await queue.submit(work, null, options)
      deepEqual([task.status, task.expiresAt, task.expiredAt], ["expired", await queue.now(), await queue.now()])
    }
    await queue.advance("1m")
    equal(runs, 0)
  })

  it("no expiration by default: expires_at is null, and the task waits for ever", async () => {
    const queue = await open([unrelated], { worker: { sweep: "30d", hello: "30d" } })
    const { id, expiresAt } = await queue.submit("send_reminder", null)
    equal(expiresAt, null)
    await queue.advance("3650d")
    equal((await now(queue, { id })).status, "pending")
  })

  it("scheduling + expiration: runs at five, expires at six", async () => {
    const times: Date[] = []
    const remind = defineTask("meeting_reminder", {
      run: async (_input: unknown, { queue }) => {
        times.push(await queue.now())
      },
    })
    const at = { scheduleAt: "2026-01-28T17:00:00Z", expiresAt: "2026-01-28T18:00:00Z" }
    const queue = await open([remind], { worker: { sweep: "10m" } })
    const task = await queue.submit(remind, null, at)
    const unclaimed = await queue.submit("nobody_runs_this", null, at)
    deepEqual([task.availableAt, task.expiresAt], [new Date(at.scheduleAt), new Date(at.expiresAt)])
    await queue.advance("5h")
    await queue.drain()
    equal((await now(queue, task)).status, "completed")
    ok(times[0] && times[0].getTime() - new Date(at.scheduleAt).getTime() <= 1)
    equal((await now(queue, unclaimed)).status, "pending")
    await queue.advance("75m")
    equal((await now(queue, unclaimed)).status, "expired")
  })

  it("cancellation vs expiration: trigger and status", async () => {
    const queue = await open([unrelated])
    const cancelled = await queue.submit("left_alone", null)
    const expired = await queue.submit("left_alone", null, { ttl: "1m" })
    await queue.cancel(cancelled.id)
    await queue.advance("2m")
    deepEqual([(await now(queue, cancelled)).status, (await now(queue, expired)).status], ["cancelled", "expired"])
  })

  it("cancellation vs expiration: a running task is asked to stop, or continues", async () => {
    const work = defineTask("work", {
      run: async (_input: unknown, { queue, signal }) => {
        await sleep(queue.world, 120_000, signal)
        signal.throwIfAborted()
      },
    })
    const queue = await open([work])
    const cancelled = await queue.submit(work, null)
    const expires = await queue.submit(work, null, { ttl: "1m" })
    await queue.advance("90s")
    await queue.cancel(cancelled.id)
    await queue.advance("30s")
    await queue.drain()
    deepEqual([(await now(queue, cancelled)).status, (await now(queue, expires)).status], ["cancelled", "completed"])
  })

  it("cancellation vs expiration: a cancelled task can be retried, an expired one cannot", async () => {
    const queue = await open([unrelated])
    const cancelled = await queue.submit("left_alone", null)
    await queue.cancel(cancelled.id)
    equal((await queue.retry(cancelled.id)).status, "pending")
    const expired = await queue.submit("left_alone", null, { ttl: 0 })
    await rejects(queue.retry(expired.id), {
      code: "illegal_transition",
      message: `task ${expired.id}: cannot move from "expired" to "pending"; only a failed or cancelled task can be retried`,
    })
    const both = await queue.submit("left_alone", null, { ttl: "1m" })
    await queue.cancel(both.id)
    await queue.advance("2m")
    equal((await queue.retry(both.id)).status, "expired")
  })

  it("version history: the two lines of the seed", async () => {
    const queue = await open([unrelated], { worker: { sweep: "30d", hello: "30d" } })
    const { id } = await queue.submit("send_reminder", null, { expiresAt: "2026-01-28T17:00:00Z" })
    await queue.advance("5h 5s")
    await queue.store.sweep({ backoff: { baseMs: 1, factor: 2, capMs: 1 }, random: 0, retentionMs: null })
    deepEqual(
      (await queue.history(id)).map(({ text }) => text),
      ["Version 1: pending (created, expires_at: 2026-01-28T17:00:00Z)", "Version 2: expired (expired_at: 2026-01-28T17:00:05Z)"],
    )
  })

  it("index cleanup: an expired task is neither claimed nor counted as waiting", async () => {
    const queue = await open([unrelated])
    const { id } = await queue.submit("left_alone", null, { ttl: "1m" })
    await queue.markExpired(id)
    const { pending, expired } = await queue.counts()
    deepEqual({ pending, expired }, { pending: 0, expired: 1 })
    const claim = { number: 1, max: 10, types: [{ type: "left_alone", room: 10 }] }
    const answer = await queue.store.exchange({ workerId: "looks", leaseMs: 30_000, settles: [], heartbeats: [], claim })
    deepEqual([answer.claimed, answer.more, answer.nextAtMs, answer.touched], [[], false, null, 0])
    deepEqual(
      (await queue.list({ status: "expired" })).tasks.map((task) => task.id),
      [id],
    )
  })

  it("submit_many with ttl_seconds and with expires_at", async () => {
    const queue = await open([unrelated])
    const byTtl = await queue.submitMany("process_event", [1, 2, 3], { ttlSeconds: 300 })
    deepEqual(
      byTtl.map(({ expiresAt }) => expiresAt),
      Array.from({ length: 3 }, () => new Date("2026-01-28T12:05:00Z")),
    )
    const byTime = await queue.submitMany("process_event", [4, 5], { expiresAt: "2026-01-28T17:00:00Z" })
    deepEqual(
      byTime.map(({ expiresAt }) => expiresAt),
      Array.from({ length: 2 }, () => new Date("2026-01-28T17:00:00Z")),
    )
  })

  it("is_expired_at: at or after expires_at, whatever the status", async () => {
    const queue = await open([unrelated])
    const task = await queue.submit("send_reminder", null, { expiresAt: "2026-01-28T17:00:00Z" })
    equal(task.isExpiredAt(new Date("2026-01-28T16:59:59.999Z")), false)
    equal(task.isExpiredAt(new Date("2026-01-28T17:00:00Z")), true)
    equal(queue.isExpiredAt(task, new Date("2026-01-28T17:00:01Z")), true)
    const never = await queue.submit("send_reminder", null)
    equal(never.isExpiredAt(new Date(8.64e15)), false)
  })

  it("non-goal, sliding expiration: a claim extends nothing", async () => {
    let runs = 0
    const work = defineTask("work", {
      run: async (_input: unknown, { queue }) => {
        runs++
        await sleep(queue.world, 40_000)
        throw new RescheduleError({ delaySeconds: 10 })
      },
    })
    const queue = await open([work])
    const { id, expiresAt } = await queue.submit(work, null, { ttl: "1m" })
    await queue.advance("3m")
    const task = await now(queue, { id })
    deepEqual([task.status, task.expiresAt, runs], ["expired", expiresAt, 2])
  })
})
