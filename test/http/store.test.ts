// The operations of the contract over HTTP: what no store could keep, or read again, is refused before it comes to one.

import assert from "node:assert/strict"
import { it } from "node:test"
import { stage } from "./kit.ts"

const ages = { sentAgoMs: 1.5, respondedAgoMs: 0.25, rttMs: 1.25 }
const settle = (outcome: object, spent: unknown[] = []) => ({ id: "nobody", fence: 1, outcome, spent, ...ages })
const exchange = (fields: object) => ({ workerId: "w", settles: [], heartbeats: [], leaseMs: 30_000, claim: null, ...fields })
const call = { id: "c", limit: "api", key: "", cost: 1, isFurther: false, waitMs: 0 }
const share = { limit: "api", from: 0, to: 0, fallbackMs: 0, isUsing: false, isLeaving: false }
const nothing = { release: [], renew: [], adopt: [], acquire: [], shares: [], sinceMs: 0 }
const hold = (fields: object) => ({ ownerId: "o", number: 1, leaseMs: 30_000, ...nothing, ...fields })
const permit = (cost: number) => ({ id: "nobody", fence: 1, limit: "api", cost, withinMs: 1.5 })
const throttled = { kind: "throttled", error: "429", status: 429, limit: null, retryAfterMs: 0.5, delayMs: 0, random: 0.5 }

it("a part of a millisecond or of a cost is refused where it would be kept, and taken where it is an age", async () => {
  const { ask, close } = await stage()
  const status = async (operation: string, body: object) => (await ask(`/api/v1/store/${operation}`, { body })).status
  const kept: [string, (number: number) => object][] = [
    ["exchange", (leaseMs) => exchange({ leaseMs })],
    ["exchange", (delayMs) => exchange({ settles: [settle({ kind: "retried", error: "", delayMs })] })],
    ["exchange", (delayMs) => exchange({ settles: [settle({ kind: "rescheduled", delayMs, extendExpirationMs: 0, reason: null })] })],
    ["exchange", (delayMs) => exchange({ settles: [settle({ ...throttled, delayMs })] })],
    ["exchange", (actual) => exchange({ settles: [settle({ kind: "released", reason: "" }, [{ limit: "api", actual }])] })],
    ["permit", permit],
    ["hold", (leaseMs) => hold({ leaseMs })],
    ["hold", (cost) => hold({ acquire: [{ ...call, cost }] })],
    ["hold", (spent) => hold({ release: [{ id: "c", spent, ...ages, heard: [] }] })],
    ["hold", (to) => hold({ shares: [{ ...share, to }] })],
    ["sweep", (retentionMs) => ({ backoff: { baseMs: 1, factor: 2, capMs: 2 }, random: 0, retentionMs })],
  ]
  try {
    for (const [operation, bodyOf] of kept) {
      const text = `${operation} ${JSON.stringify(bodyOf(2))}`
      assert.equal(await status(operation, bodyOf(2)), 200, text)
      assert.equal(await status(operation, bodyOf(2.5)), 400, text)
    }
    const endless = exchange({ settles: [settle({ ...throttled, retryAfterMs: 8.64e15 })] })
    assert.equal(await status("exchange", endless), 400)
    assert.equal(await status("hold", hold({ acquire: [{ ...call, cost: 0 }] })), 400)
  } finally {
    await close()
  }
})
