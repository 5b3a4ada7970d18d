// Every API example of the first seed (reschedule), in TypeScript, with the behaviour that the seed gives for it.

import { deepEqual, equal, ok } from "node:assert/strict"
import { it } from "node:test"
import { defineTask, RescheduleError, RetryableError, type Task } from "../../src/index.ts"
import type { TestQueue } from "../../src/testing/index.ts"
import { sleep } from "../../src/world/index.ts"
import { onEveryStore } from "./stores.ts"

class TooManyRequests extends Error {
  readonly retryAfter: number | null

  constructor(retryAfter: number | null) {
    super("429 Too Many Requests")
    this.retryAfter = retryAfter
  }
}

class ServiceUnavailable extends Error {}

/** Something outside that answers as the test wants: a value is returned, an Error thrown. */
class Outside {
  readonly calls: unknown[] = []
  private readonly answers: unknown[]

  constructor(...answers: unknown[]) {
    this.answers = answers
  }

  async call(request: unknown): Promise<unknown> {
    this.calls.push(request)
    const answer = this.answers.length > 1 ? this.answers.shift() : this.answers[0]
    if (answer instanceof Error) throw answer
    return answer
  }
}

async function now(queue: TestQueue, { id }: { readonly id: string }): Promise<Task> {
  const task = await queue.get(id)
  ok(task)
  return task
}

const secondsUntil = (task: Task, from: Date) => (task.availableAt.getTime() - from.getTime()) / 1_000

onEveryStore("the reschedule seed", (open) => {
  it("Python: call_api reschedules by Retry-After, after 60 s without one, and after 300 s of backpressure", async () => {
    const api = new Outside(new TooManyRequests(30), new TooManyRequests(null), new ServiceUnavailable("503"), { status: 200 })
    const callApi = defineTask("call_api", {
      run: async (input: { url: string; data: string }) => {
        try {
          const { status } = (await api.call(input)) as { status: number }
          return { status }
        } catch (error) {
          if (error instanceof TooManyRequests) throw new RescheduleError({ delaySeconds: error.retryAfter ?? 60 })
          if (error instanceof ServiceUnavailable) throw new RescheduleError({ delaySeconds: 300 })
          throw error
        }
      },
    })
    const queue = await open([callApi])
    const task = await queue.submit(callApi, { url: "https://api.test", data: "x" })
    await queue.drain()
    for (const [count, delaySeconds] of [30, 60, 300].entries()) {
      const waiting = await now(queue, task)
      deepEqual([waiting.status, waiting.rescheduleCount, waiting.retryCount], ["pending", count + 1, 0])
      equal(secondsUntil(waiting, await queue.now()), delaySeconds)
      await queue.advance(`${delaySeconds}s`)
      await queue.drain()
    }
    const done = await now(queue, task)
    deepEqual([done.status, done.output], ["completed", { status: 200 }])
    equal(api.calls.length, 4)
  })

  it("submit with max_reschedules: unlimited by default", async () => {
    const queue = await open([defineTask("other", { run: () => null })])
    const task = await queue.submit("call_api", { url: "..." })
    deepEqual([task.maxReschedules, task.rescheduleCount, task.maxRetries], [null, 0, 3])
  })

  it("submit with max_reschedules: 100", async () => {
    const queue = await open([defineTask("other", { run: () => null })])
    const task = await queue.submit("call_api", { url: "..." }, { maxReschedules: 100 })
    equal(task.maxReschedules, 100)
    equal((await now(queue, task)).maxReschedules, 100)
  })

  it("submit combined with other options", async () => {
    const queue = await open([defineTask("other", { run: () => null })])
    const task = await queue.submit("call_api", { url: "..." }, { maxRetries: 3, maxReschedules: 50, timeoutSeconds: 300 })
    deepEqual([task.maxRetries, task.maxReschedules, task.timeoutSeconds], [3, 50, 300])
  })

  it("Rust: rate limited is rescheduled, any other error is retried", async () => {
    const api = new Outside(new TooManyRequests(5), new Error("connection reset"), { ok: true })
    const callApi = defineTask("call_api", {
      run: async (input: { url: string }, ctx) => {
        try {
          await api.call(input)
          return { status: "ok" }
        } catch (error) {
          if (error instanceof TooManyRequests) return ctx.reschedule(`${error.retryAfter ?? 60}s`)
          throw new RetryableError(String(error))
        }
      },
    })
    const queue = await open([callApi])
    const task = await queue.submit(callApi, { url: "..." }, { maxReschedules: 100 })
    await queue.drain()
    deepEqual([(await now(queue, task)).rescheduleCount, (await now(queue, task)).retryCount], [1, 0])
    await queue.advance("5s")
    await queue.drain()
    const retried = await now(queue, task)
    deepEqual([retried.rescheduleCount, retried.retryCount, retried.lastError], [1, 1, "Error: connection reset"])
    await queue.advance("1s")
    await queue.drain()
    deepEqual((await now(queue, task)).output, { status: "ok" })
  })

  it("task fields: the document has the counters, the cap and available_at", async () => {
    const callApi = defineTask("call_api", { run: (_input: { url: string }, ctx) => ctx.reschedule("60s") })
    const queue = await open([callApi])
    const { id } = await queue.submit(callApi, { url: "..." })
    await queue.advance("4m")
    const { task_type, status, input, retry_count, max_retries, reschedule_count, max_reschedules, available_at, created_at } = (
      await now(queue, { id })
    ).toJSON()
    deepEqual(
      { task_type, status, input, retry_count, max_retries, reschedule_count, max_reschedules, available_at, created_at },
      {
        task_type: "call_api",
        status: "pending",
        input: { url: "..." },
        retry_count: 0,
        max_retries: 3,
        reschedule_count: 5,
        max_reschedules: null,
        available_at: "2026-01-28T12:05:00Z",
        created_at: "2026-01-28T12:00:00Z",
      },
    )
  })

  it("reschedule flow: pending again, out of the leases, and the worker picks up the next task", async () => {
    const order: string[] = []
    const callApi = defineTask("call_api", {
      run: (input: { name: string }) => {
        order.push(input.name)
        if (order.length === 1) throw new RescheduleError({ delaySeconds: 60 })
        return null
      },
    })
    const queue = await open([callApi], { worker: { concurrency: 1 } })
    const first = await queue.submit(callApi, { name: "first" })
    await queue.submit(callApi, { name: "second" })
    await queue.drain()
    deepEqual(order, ["first", "second"])
    const { status, workerId, leaseExpiresAt, rescheduleCount } = await now(queue, first)
    deepEqual(
      { status, workerId, leaseExpiresAt, rescheduleCount },
      { status: "pending", workerId: null, leaseExpiresAt: null, rescheduleCount: 1 },
    )
    await queue.advance("60s")
    await queue.drain()
    deepEqual(order, ["first", "second", "first"])
  })

  it("reschedule vs retry: own counter, own limit, own delay", async () => {
    const ends = [new RetryableError("went wrong"), new RescheduleError({ delaySeconds: 7 })]
    const callApi = defineTask("call_api", {
      run: () => {
        throw ends.shift()
      },
    })
    const queue = await open([callApi])
    const task = await queue.submit(callApi, null)
    await queue.drain()
    const retried = await now(queue, task)
    deepEqual([retried.retryCount, retried.rescheduleCount, retried.lastError], [1, 0, "went wrong"])
    ok(secondsUntil(retried, await queue.now()) <= 1, "expected the backoff of the first retry")
    await queue.advance("1s")
    const rescheduled = await now(queue, task)
    deepEqual([rescheduled.retryCount, rescheduled.rescheduleCount], [1, 1])
    const { at, delayMs } = (await queue.history(task.id)).at(-1) ?? {}
    deepEqual([delayMs, rescheduled.availableAt.getTime() - Number(at)], [7_000, 7_000])
  })

  it("when max_reschedules is exceeded, the task fails and says so", async () => {
    let runs = 0
    const callApi = defineTask("call_api", {
      run: () => {
        runs++
        throw new RescheduleError({ delaySeconds: 60 })
      },
    })
    const queue = await open([callApi], { worker: { sweep: "1d" } })
    const task = await queue.submit(callApi, null, { maxReschedules: 100 })
    await queue.advance("100m")
    const failed = await now(queue, task)
    deepEqual([failed.status, failed.rescheduleCount, failed.retryCount, runs], ["failed", 100, 0, 101])
    equal(failed.lastError, "Max reschedules (100) exceeded")
  })

  it("use case 1, API rate limiting: send_email waits as long as the provider says", async () => {
    const provider = new Outside(new TooManyRequests(30), undefined)
    const sendEmail = defineTask("send_email", {
      run: async (input: { to: string; body: string }) => {
        try {
          await provider.call(input)
          return { sent: true }
        } catch (error) {
          if (error instanceof TooManyRequests) throw new RescheduleError({ delaySeconds: error.retryAfter ?? 60 })
          throw error
        }
      },
    })
    const queue = await open([sendEmail])
    const task = await queue.submit(sendEmail, { to: "a@example.test", body: "hello" })
    await queue.advance("29s")
    equal((await now(queue, task)).status, "pending")
    await queue.advance("1s")
    await queue.drain()
    deepEqual((await now(queue, task)).output, { sent: true })
  })

  it("use case 2, upstream backpressure: process_order waits 5 minutes while the service is overloaded", async () => {
    let isOverloaded = true
    const processOrder = defineTask("process_order", {
      run: async (input: { items: string[] }) => {
        if (isOverloaded) throw new RescheduleError({ delaySeconds: 300 })
        return { reserved: input.items }
      },
    })
    const queue = await open([processOrder])
    const task = await queue.submit(processOrder, { items: ["book"] })
    await queue.advance("299s")
    isOverloaded = false
    equal((await now(queue, task)).status, "pending")
    await queue.advance("1s")
    await queue.drain()
    deepEqual((await now(queue, task)).output, { reserved: ["book"] })
  })

  it("use case 3, time-based processing: market_order waits until the market opens", async () => {
    const opensAt = new Date("2026-01-28T14:30:00Z")
    const marketOrder = defineTask("market_order", {
      run: async (input: { symbol: string }, { queue }) => {
        const secondsUntilOpen = (opensAt.getTime() - (await queue.now()).getTime()) / 1_000
        if (secondsUntilOpen > 0) throw new RescheduleError({ delaySeconds: secondsUntilOpen })
        return { traded: input.symbol }
      },
    })
    const queue = await open([marketOrder], { worker: { sweep: "1h" } })
    const task = await queue.submit(marketOrder, { symbol: "SLCE" })
    await queue.drain()
    deepEqual((await now(queue, task)).availableAt, opensAt)
    await queue.advance("2h 30m")
    await queue.drain()
    const traded = await now(queue, task)
    deepEqual([traded.status, traded.output, traded.startedAt], ["completed", { traded: "SLCE" }, opensAt])
  })

  it("use case 4, distributed rate limiting: api_call asks a limiter of its own and yields for a second", async () => {
    let permits = 2
    const apiCall = defineTask("api_call", {
      run: async () => {
        if (permits-- <= 0) throw new RescheduleError({ delaySeconds: 1 })
        return "called"
      },
    })
    const queue = await open([apiCall])
    await queue.submitMany(apiCall, [1, 2, 3, 4, 5])
    await queue.drain()
    equal((await queue.counts()).completed, 2)
    permits = 3
    await queue.advance("1s")
    await queue.drain()
    equal((await queue.counts()).completed, 5)
  })

  it("use case 5, circuit breaker: open means later, a failure means retry", async () => {
    let failures = 0
    let openUntilMs = 0
    const service = new Outside(new Error("500"), new Error("500"), "result")
    const externalCall = defineTask("external_call", {
      run: async (input: unknown, { queue }) => {
        const nowMs = (await queue.now()).getTime()
        if (nowMs < openUntilMs) throw new RescheduleError({ delaySeconds: 30 })
        try {
          const result = await service.call(input)
          failures = 0
          return result
        } catch (error) {
          if (++failures === 2) openUntilMs = nowMs + 30_000
          throw new RetryableError(String(error))
        }
      },
    })
    const queue = await open([externalCall])
    const task = await queue.submit(externalCall, { id: 1 })
    await queue.advance("2m")
    await queue.drain()
    const done = await now(queue, task)
    deepEqual([done.status, done.output, done.retryCount, done.rescheduleCount], ["completed", "result", 2, 1])
  })

  it("delay_seconds = 0: available at once, at the back of the queue", async () => {
    const order: string[] = []
    const polite = defineTask("polite", {
      run: async (name: string, { queue }) => {
        order.push(name)
        await sleep(queue.world, 10)
        if (order.length === 1) throw new RescheduleError({ delaySeconds: 0 })
      },
    })
    const queue = await open([polite], { worker: { concurrency: 1 } })
    await queue.submitMany(polite, ["yields", "second", "third"])
    await queue.advance("40ms")
    deepEqual(order, ["yields", "second", "third", "yields"])
  })

  it("very large delays: tomorrow, and a hundred years", async () => {
    for (const delaySeconds of [86_400, 100 * 365 * 86_400]) {
      const later = defineTask("later", {
        run: () => {
          throw new RescheduleError({ delaySeconds })
        },
      })
      const queue = await open([later], { worker: { sweep: "1h" } })
      const task = await queue.submit(later, null)
      await queue.drain()
      const waiting = await now(queue, task)
      equal(waiting.status, "pending")
      equal(secondsUntil(waiting, task.createdAt), delaySeconds)
      await queue.advance("10m")
      equal((await now(queue, task)).attempt, 1)
    }
  })

  it("very large delays: a task rescheduled for 40 days runs then", async () => {
    let runs = 0
    const later = defineTask("later", {
      run: () => {
        if (++runs === 1) throw new RescheduleError({ delaySeconds: 40 * 86_400 })
        return "done"
      },
    })
    const queue = await open([later], { worker: { sweep: "10d", hello: "10d", retention: null } })
    const task = await queue.submit(later, null)
    await queue.advance("39d")
    equal((await now(queue, task)).status, "pending")
    await queue.advance("1d 1ms")
    await queue.drain()
    equal((await now(queue, task)).status, "completed")
  })

  it("reschedule during retry: both counters are tracked separately", async () => {
    const ends: unknown[] = [
      new RescheduleError({ delaySeconds: 1 }),
      new Error("failed after a reschedule"),
      new RescheduleError({ delaySeconds: 1 }),
      new Error("failed again"),
    ]
    const counts: number[][] = []
    const both = defineTask("both", {
      run: (_input: unknown, { task }) => {
        counts.push([task.rescheduleCount, task.retryCount])
        const end = ends.shift()
        if (end) throw end
        return "done"
      },
    })
    const queue = await open([both])
    const task = await queue.submit(both, null)
    await queue.advance("1m")
    await queue.drain()
    deepEqual(counts, [
      [0, 0],
      [1, 0],
      [1, 1],
      [2, 1],
      [2, 2],
    ])
    equal((await now(queue, task)).status, "completed")
  })

  it("task timeout during the reschedule wait: a pending task has none", async () => {
    let runs = 0
    const slow = defineTask("slow", {
      timeoutSeconds: 10,
      run: () => {
        if (++runs === 1) throw new RescheduleError({ delaySeconds: 600 })
        return "done"
      },
    })
    const queue = await open([slow])
    const task = await queue.submit(slow, null)
    await queue.advance("599s")
    deepEqual([(await now(queue, task)).status, (await now(queue, task)).lastError], ["pending", null])
    await queue.advance("1s")
    await queue.drain()
    deepEqual([(await now(queue, task)).status, (await now(queue, task)).retryCount], ["completed", 0])
  })

  it("version history: the seven lines of the seed", async () => {
    const delays = [60, 120]
    const callApi = defineTask("call_api", {
      run: () => {
        const delaySeconds = delays.shift()
        if (delaySeconds !== undefined) throw new RescheduleError({ delaySeconds })
        return null
      },
    })
    const queue = await open([defineTask("other", { run: () => null })])
    const task = await queue.submit(callApi, null)
    for (const id of ["worker-1", "worker-2", "worker-1"]) {
      const worker = queue.worker([callApi], { id })
      const settled = new Promise((resolve) => worker.on("task.settled", resolve))
      const running = worker.run()
      await settled
      worker.stop()
      await running
      await queue.advance("120s")
    }
    deepEqual(
      (await queue.history(task.id)).map(({ text }) => text),
      [
        "Version 1: pending (created)",
        "Version 2: running (claimed by worker-1)",
        "Version 3: pending (rescheduled, available_at: +60s, count: 1)",
        "Version 4: running (claimed by worker-2)",
        "Version 5: pending (rescheduled, available_at: +120s, count: 2)",
        "Version 6: running (claimed by worker-1)",
        "Version 7: completed",
      ],
    )
  })

  it("FAQ: a rate limiter inside the handler", async () => {
    const callsPerMinute = 3
    const calls: number[] = []
    const callApi = defineTask("call_api", {
      run: async (_input: number, { queue }) => {
        const nowMs = (await queue.now()).getTime()
        if (calls.filter((atMs) => atMs > nowMs - 60_000).length >= callsPerMinute) throw new RescheduleError({ delaySeconds: 1 })
        calls.push(nowMs)
      },
    })
    const queue = await open([callApi])
    await queue.submitMany(callApi, [1, 2, 3, 4, 5, 6])
    await queue.advance("59s")
    equal((await queue.counts()).completed, 3)
    await queue.advance("2s")
    await queue.drain()
    equal((await queue.counts()).completed, 6)
  })

  it("FAQ: unlimited reschedules are what was asked for", async () => {
    const patient = defineTask("patient", { run: (_input: unknown, ctx) => ctx.reschedule("1s") })
    const queue = await open([patient], { worker: { sweep: "1d" } })
    const task = await queue.submit(patient, null)
    await queue.advance("149s")
    const waiting = await now(queue, task)
    deepEqual([waiting.status, waiting.rescheduleCount, waiting.lastError], ["pending", 150, null])
    const history = await queue.history(task.id)
    deepEqual([history.length, history[0]?.text, history.at(-1)?.version], [100, "Version 1: pending (created)", waiting.version])
  })
})
