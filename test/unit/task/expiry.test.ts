// Expiry: a task that would be due only at or past its expiry expires at once, after any extension was added to it.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { isExpiredAt, markExpired, type Outcome, retry } from "../../../src/task/index.ts"
import { claimed, pending, reschedule, retryIn, running, settled, startMs, throttle } from "./task-kit.ts"

const ttl = { expiry: { inMs: 10_000 } }

describe("expiry", () => {
  it("has come at its millisecond, not before; without one it never comes", () => {
    assert.equal(isExpiredAt({ expiresAtMs: 5 }, 4), false)
    assert.equal(isExpiredAt({ expiresAtMs: 5 }, 5), true)
    assert.equal(isExpiredAt({ expiresAtMs: null }, 8.64e15), false)
  })

  for (const [name, outcome] of Object.entries({ retry: retryIn, reschedule, throttle })) {
    it(`a ${name} that is due at the expiry expires at once, one that is due before waits`, () => {
      const { task, entries } = settled(running(ttl), outcome(10_000))
      assert.deepEqual([task.status, task.expiredAtMs], ["expired", startMs])
      assert.deepEqual(
        entries.map(({ event }) => event),
        ["expired"],
      )
      assert.equal(settled(running(ttl), outcome(9_999)).task.status, "pending")
    })
  }

  it("an extension counts before the expiry is looked at", () => {
    assert.equal(settled(running(ttl), reschedule(15_000)).task.status, "expired")
    assert.equal(settled(running(ttl), reschedule(15_000, 5_000)).task.status, "expired")
    const { task, entries } = settled(running(ttl), reschedule(15_000, 5_001))
    assert.deepEqual([task.status, task.expiresAtMs], ["pending", startMs + 15_001])
    assert.equal(entries[0]?.expiresAtMs, startMs + 15_001)
  })

  it("an extension is kept by a task that expires all the same", () => {
    assert.equal(settled(running(ttl), reschedule(60_000, 5_000)).task.expiresAtMs, startMs + 15_000)
  })

  it("an extension does nothing without an expiry", () => {
    const { task, entries } = settled(running(), reschedule(1_000, 5_000))
    assert.equal(task.expiresAtMs, null)
    assert.equal(entries[0] && "expiresAtMs" in entries[0], false)
  })

  it("an extension saves a task that ran past its expiry", () => {
    const late = startMs + 12_000
    assert.equal(settled(running(ttl), reschedule(0, 2_000), late).task.status, "expired")
    assert.equal(settled(running(ttl), reschedule(0, 2_001), late).task.status, "pending")
  })

  it("a run that ends late ends as it says", () => {
    const late = startMs + 60_000
    const ends: Outcome[] = [{ kind: "completed", output: null }, { kind: "failed", error: "no" }, { kind: "cancelled" }]
    for (const outcome of ends) assert.equal(settled(running(ttl), outcome, late).task.status, outcome.kind)
    assert.equal(settled(running(ttl), { kind: "released", reason: "" }, late).task.status, "expired")
  })

  it("only a pending task can be marked, whatever its expiry", () => {
    assert.equal(markExpired(pending(), startMs).kind, "ok")
    assert.deepEqual(markExpired(running(ttl), startMs + 60_000), { kind: "illegal", from: "running", to: "expired" })
  })

  it("a retry by hand comes too late when the expiry has passed", () => {
    const failed = settled(running(ttl), { kind: "failed", error: "no" }).task
    const back = retry(failed, startMs + 9_999)
    assert.equal(back.kind === "ok" && back.change?.task.status, "pending")
    const late = retry(failed, startMs + 10_000)
    assert.deepEqual(late.kind === "ok" && late.change?.entries.map(({ event }) => event), ["requeued", "expired"])
    assert.equal(late.kind === "ok" && late.change?.task.version, failed.version + 2)
  })

  it("a claim does not look at the expiry: that is the store's step", () => {
    assert.equal(claimed(pending(ttl), startMs + 1).task.status, "running")
  })
})
