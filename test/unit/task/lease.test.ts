// Leases: kept by heartbeats, never shortened; lost ones cost a retry, and three lost workers in a row are poison.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { backoffMs, lose, poisonAfter, renew, spread } from "../../../src/task/index.ts"
import { claimed, running, startMs } from "./task-kit.ts"

const backoff = { baseMs: 1_000, factor: 2, capMs: 60_000 }

describe("a lease", () => {
  it("is kept from now on and never shortened", () => {
    assert.equal(renew(running(), 1, startMs + 10_000, 30_000, null)?.leaseExpiresAtMs, startMs + 40_000)
    assert.equal(renew(running(), 1, startMs + 10_000, 5_000, null)?.leaseExpiresAtMs, startMs + 30_000)
  })

  it("is not kept under another fence, by a task that does not run, or once it ran out", () => {
    assert.equal(renew(running(), 2, startMs, 30_000, null), null)
    assert.equal(renew({ ...running(), status: "pending" }, 1, startMs, 30_000, null), null)
    assert.equal(renew(running(), 1, startMs + 30_000, 30_000, null), null)
    assert.notEqual(renew(running(), 1, startMs + 29_999, 30_000, null), null)
  })

  it("carries progress, and none leaves what was there", () => {
    const half = renew(running(), 1, startMs, 30_000, '"half"')
    assert.equal(half?.progress, '"half"')
    assert.equal(half && renew(half, 1, startMs, 30_000, null)?.progress, '"half"')
  })

  it("that is lost costs a retry and waits for a backoff", () => {
    const { task, entries } = lose(running(), startMs + 30_000, backoff, 0.5)
    assert.deepEqual([task.status, task.retryCount, task.crashCount, task.lastOutcome], ["pending", 1, 1, "lost"])
    assert.deepEqual([task.lastError, task.workerId, task.leaseExpiresAtMs], ["lease lost by worker-1", null, null])
    assert.equal(task.availableAtMs, startMs + 30_500)
    assert.deepEqual([entries[0]?.event, entries[0]?.delayMs, entries[0]?.count], ["lost", 500, 1])
  })

  it("that is lost without retries left fails the task", () => {
    assert.equal(lose(running({ maxRetries: 0 }), startMs, backoff, 0).task.status, "failed")
  })

  it("that is lost for the third time in a row is poison, whatever retries are left", () => {
    assert.equal(poisonAfter, 3)
    let task = running({ maxRetries: 1_000 })
    for (const crashes of [1, 2]) {
      task = lose(task, startMs, backoff, 0).task
      assert.deepEqual([task.status, task.crashCount], ["pending", crashes])
      task = claimed(task).task
    }
    task = lose(task, startMs, backoff, 0).task
    assert.deepEqual([task.status, task.lastError], ["failed", "poison: its worker was lost 3 times in a row, last worker-1"])
    assert.equal(task.retryCount, 2)
  })

  it("that is lost by a task that was asked to stop ends it", () => {
    assert.equal(lose(running({ cancelRequestedAtMs: startMs }), startMs, backoff, 0).task.status, "cancelled")
    assert.equal(lose(running({ cancelRequestedAtMs: startMs, crashCount: 2 }), startMs, backoff, 0).task.status, "cancelled")
  })

  it("that is lost past the expiry expires the task", () => {
    assert.equal(lose(running({ expiry: { inMs: 1_000 } }), startMs + 30_000, backoff, 0).task.status, "expired")
  })
})

describe("a backoff", () => {
  it("lies between nothing and a ceiling that doubles up to the cap", () => {
    const most = (retry: number) => backoffMs(backoff, retry, 0.999_999_999)
    assert.deepEqual([1, 2, 3, 7, 8, 1_000].map(most), [1_000, 2_000, 4_000, 60_000, 60_000, 60_000])
    for (const retry of [1, 5, 50]) assert.equal(backoffMs(backoff, retry, 0), 0)
  })

  it("is a whole number", () => {
    for (let i = 0; i < 50; i++) assert.ok(Number.isInteger(backoffMs({ ...backoff, factor: 1.7 }, i, i / 50)))
  })

  it("is spread over what comes back together", () => {
    const numbers = Array.from({ length: 500 }, (_, i) => spread(0.123, i))
    assert.ok(numbers.every((random) => random >= 0 && random < 1))
    const tenths = new Set(numbers.slice(0, 20).map((random) => Math.floor(random * 10)))
    assert.equal(tenths.size, 10)
    assert.equal(new Set(numbers).size, 500)
    assert.equal(spread(0.123, 0), 0.123)
  })
})
