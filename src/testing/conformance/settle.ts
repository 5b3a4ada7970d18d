// Settle compares the fence inside the store: the current lease reports once, and nobody else does.

import { deepEqual, equal } from "node:assert/strict"
import { theme } from "./kit.ts"
import { cancelled, completed, failed, released, rescheduled, retried, said } from "./outcomes.ts"
import { leaseMs } from "./test-worker.ts"

export const settleTests = theme("settle", {
  "completed keeps the output and ends the lease": async (bench) => {
    await bench.submit()
    const worker = bench.worker()
    const held = await worker.claimOne()
    await bench.world.advance(1_500)
    deepEqual(await worker.settle(held, completed('{"ok":true}')), { kind: "ok", status: "completed" })
    deepEqual(await bench.get(held), {
      ...held,
      status: "completed",
      output: '{"ok":true}',
      updatedAtMs: bench.world.wallMs(),
      completedAtMs: bench.world.wallMs(),
      version: 3,
      workerId: null,
      claimNumber: null,
      leaseExpiresAtMs: null,
      lastOutcome: "completed",
    })
  },

  "a completed task forgets the error of an earlier run": async (bench) => {
    await bench.submit()
    const worker = bench.worker()
    const second = await worker.again(await worker.claimOne(), retried(0, "once"))
    equal(second.lastError, "once")
    await worker.settle(second, completed())
    equal((await bench.get(second)).lastError, null)
  },

  "failed ends the task at once, whatever retries are left": async (bench) => {
    await bench.submit({ maxRetries: 10 })
    const worker = bench.worker()
    const held = await worker.claimOne()
    deepEqual(await worker.settle(held, failed("bad input")), { kind: "ok", status: "failed" })
    const task = await bench.get(held)
    deepEqual([task.status, task.lastError, task.retryCount, task.completedAtMs], ["failed", "bad input", 0, bench.world.wallMs()])
    deepEqual(await worker.claim(), [])
  },

  "a handler that stopped because it was asked to leaves its task cancelled": async (bench) => {
    await bench.submit()
    const worker = bench.worker()
    const held = await worker.claimOne()
    await bench.move("cancel", held)
    deepEqual(await worker.settle(held, cancelled), { kind: "ok", status: "cancelled" })
    equal((await bench.get(held)).completedAtMs, bench.world.wallMs())
  },

  "released costs nothing": async (bench) => {
    await bench.submit()
    const worker = bench.worker()
    const held = await worker.claimOne()
    deepEqual(await worker.settle(held, released()), { kind: "ok", status: "pending" })
    const task = await bench.get(held)
    const { retryCount, rescheduleCount, throttleCount, crashCount, attempt, lastError, leaseExpiresAtMs } = task
    deepEqual({ retryCount, rescheduleCount, throttleCount, crashCount, attempt }, { ...none, attempt: 0 })
    deepEqual([lastError, leaseExpiresAtMs, task.workerId], [null, null, null])
    const again = await worker.again(await worker.claimOne(), retried())
    equal(again.attempt, 2)
    await worker.settle(again, released())
    equal((await bench.get(held)).attempt, 1)
  },

  "a fence that is not the current one is stale and changes nothing": async (bench) => {
    await bench.submit()
    const worker = bench.worker()
    const first = await worker.claimOne()
    const second = await worker.again(first, rescheduled())
    for (const fence of [first.fence, second.fence + 1, 0]) {
      for (const outcome of [completed(), failed(), retried(), released(), cancelled]) {
        deepEqual(await worker.settle({ id: second.id, fence }, outcome), { kind: "stale" })
      }
    }
    deepEqual(await bench.get(second), second)
    deepEqual(await worker.settle(second, completed()), { kind: "ok", status: "completed" })
  },

  "a task that does not exist is stale": async (bench) => {
    deepEqual(await bench.worker().settle({ id: "nobody", fence: 1 }, completed()), { kind: "stale" })
  },

  "a worker that lost its lease to another settles nothing": async (bench) => {
    await bench.submit()
    const [slow, next] = [bench.worker("slow"), bench.worker("next")]
    const lost = await slow.claimOne()
    await bench.world.advance(leaseMs)
    await bench.sweep()
    const held = await next.claimOne()
    deepEqual(await slow.settle(lost, completed('"late"')), { kind: "stale" })
    deepEqual(await bench.get(held), held)
    deepEqual(await next.settle(held, completed('"mine"')), { kind: "ok", status: "completed" })
    deepEqual(await slow.settle(lost, completed('"late"')), { kind: "stale" })
    equal((await bench.get(held)).output, '"mine"')
  },

  "a worker whose lost task nobody took yet settles nothing either": async (bench) => {
    await bench.submit()
    const worker = bench.worker()
    const lost = await worker.claimOne()
    await bench.world.advance(leaseMs)
    await bench.sweep()
    deepEqual(await worker.settle(lost, completed()), { kind: "stale" })
    equal(await bench.status(lost), "pending")
  },

  "a lease that ran out but was not swept still settles": async (bench) => {
    await bench.submit()
    const worker = bench.worker()
    const held = await worker.claimOne()
    await bench.world.advance(leaseMs * 10)
    deepEqual(await worker.settle(held, completed()), { kind: "ok", status: "completed" })
    equal((await bench.sweep()).rescued, 0)
  },

  "any connection may carry a settle: the fence decides, not who sends it": async (bench) => {
    await bench.submit()
    const held = await bench.worker("a").claimOne()
    const other = await bench.connect()
    deepEqual(await other.worker("b").settle(held, completed()), { kind: "ok", status: "completed" })
  },

  "each settle of a batch is answered for itself, in order": async (bench) => {
    await bench.submitMany(3)
    const worker = bench.worker()
    const [a, b, c] = (await worker.claim()).map(({ id, fence }) => ({ id, fence }))
    if (!a || !b || !c) throw new Error("expected three tasks")
    const { settled } = await worker.exchange({
      settles: [
        said(c, failed()),
        said({ id: "nobody", fence: 1 }, completed()),
        said(a, completed()),
        said({ ...b, fence: 9 }, completed()),
        said(a, completed()),
        said(a, failed()),
      ],
    })
    const ok = (status: string) => ({ kind: "ok", status })
    const stale = { kind: "stale" }
    deepEqual(settled, [ok("failed"), stale, ok("completed"), stale, ok("completed"), stale])
    deepEqual(await bench.counts(), { completed: 1, failed: 1, running: 1 })
  },

  "tasks that complete together each keep their own output and forget what went before, whether they answer alike or not": async (
    bench,
  ) => {
    const worker = bench.worker()
    for (const outputs of [
      ['"a"', '"b"', null],
      ["1", "1", "1"],
    ]) {
      await bench.submitMany(3)
      const first = await worker.claim()
      await worker.exchange({ settles: first.map((held) => said(held, retried())) })
      const held = await worker.claim()
      const settles = held.map((one, i) => said(one, completed(outputs[i] ?? null)))
      const { settled } = await worker.exchange({ settles: [...settles.slice(1), ...settles.slice(0, 1)] })
      deepEqual(
        settled,
        [1, 2, 3].map(() => ({ kind: "ok", status: "completed" })),
      )
      for (const [i, before] of held.entries()) {
        const nowMs = bench.world.wallMs()
        deepEqual(await bench.get(before), {
          ...before,
          status: "completed",
          output: outputs[i] ?? null,
          updatedAtMs: nowMs,
          completedAtMs: nowMs,
          version: 5,
          workerId: null,
          claimNumber: null,
          leaseExpiresAtMs: null,
          lastError: null,
          lastOutcome: "completed",
        })
        deepEqual((await bench.history(before)).at(-1), { version: 5, atMs: nowMs, status: "completed", event: "completed" })
      }
    }
  },

  "of two that settle at once one wins": async (bench) => {
    await bench.submit()
    const held = await bench.worker("a").claimOne()
    const other = await bench.connect()
    const answers = await bench.together([bench.worker("a").settle(held, completed()), other.worker("b").settle(held, failed())])
    deepEqual(answers.map(({ kind }) => kind).sort(), ["ok", "stale"])
    equal((await bench.history(held)).length, 3)
  },
})

const none = { retryCount: 0, rescheduleCount: 0, throttleCount: 0, crashCount: 0 }
