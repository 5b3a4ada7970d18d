// Shares: whatever happens to the answers, no two processes ever believe in shares that overlap, and what the store admits beside those
// that may be in use never makes more than the limit.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import fc from "fast-check"
import { evenShare, freePiece, type Interval, noShare, partOf, wholeShare } from "../../../src/limits/index.ts"
import { type OwnerShare, tellShare, withoutShares } from "../../../src/store/shares.ts"
import { runs } from "../runs.ts"

const leaseMs = 30_000
const fallbackMs = 120_000

const limit = fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 1_000_000 }))

/** What happens to one of the processes: a hold that is answered, one that is done or not and not answered, that it leaves, or that time passes. */
const event = fc.record({
  who: fc.nat(5),
  what: fc.constantFrom("hold", "hold", "hold", "lost", "lost", "refused", "leave", "silence"),
  waitMs: fc.oneof(fc.constant(0), fc.nat(leaseMs), fc.nat(fallbackMs + 1_000)),
  limit,
})

interface Believed extends Interval {
  /** When the request that was answered so was sent. */
  readonly sinceMs: number
  /** When it first was without an answer; null: the last one came. */
  awayAtMs: number | null
}

describe("shares of a limit", () => {
  it("are parts of the limit that sum to no more than it, where they do not overlap", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(wholeShare), { minLength: 1, maxLength: 20 }), limit, (cuts, of) => {
        const points = [0, ...[...cuts].sort((a, b) => a - b), wholeShare]
        const parts = points.slice(1).map((to, i) => partOf({ from: points[i] ?? 0, to }, of))
        assert.ok(parts.every((part) => Number.isSafeInteger(part) && part >= 0))
        assert.equal(
          parts.reduce((sum, part) => sum + part, 0),
          of,
        )
      }),
      { numRuns: runs(500) },
    )
  })

  it("are even where nobody is in the way, and free where somebody is", () => {
    const interval = fc.tuple(fc.nat(wholeShare), fc.nat(wholeShare)).map(([a, b]) => ({ from: Math.min(a, b), to: Math.max(a, b) }))
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), fc.array(interval, { maxLength: 6 }), (count, taken) => {
        const even = Array.from({ length: count }, (_, i) => evenShare(i, count))
        assert.deepEqual([even[0]?.from, even.at(-1)?.to], [0, wholeShare])
        for (const [i, share] of even.entries()) {
          if (i > 0) assert.equal(share.from, even[i - 1]?.to)
          const piece = freePiece(share, taken)
          assert.ok(piece.to === piece.from || (piece.from >= share.from && piece.to <= share.to))
          for (const other of taken) assert.ok(overlap(piece, other) === 0)
        }
      }),
      { numRuns: runs(300) },
    )
  })

  it("never overlap, through joins, leaves, silences and lost answers; and the rest of the limit is what others get", () => {
    fc.assert(
      fc.property(fc.array(event, { minLength: 1, maxLength: 60, size: "max" }), (events) => {
        let nowMs = 1_000_000
        let shares: readonly OwnerShare[] = []
        const believed = new Map<number, Believed>()
        const usable = (who: number): Believed | null => {
          const own = believed.get(who)
          return own && nowMs < own.sinceMs + fallbackMs ? own : null
        }
        for (const { who, what, waitMs, limit: of } of events) {
          nowMs += waitMs
          const own = usable(who)
          if (what === "leave") believed.delete(who)
          if (what !== "silence" && what !== "refused") {
            const isLeaving = what === "leave"
            const interval = isLeaving || !own ? noShare : { from: own.from, to: own.to }
            const isUsing = own !== null && own.awayAtMs !== null
            const saying = { ...interval, ownerId: `p${who}`, leaseMs, fallbackMs, isUsing, isLeaving, memoryMs: 10_000 }
            shares = tellShare(shares, saying, nowMs)
            const told = shares.find(({ ownerId }) => ownerId === `p${who}`)?.told
            if (what === "hold" && told) believed.set(who, { ...told, sinceMs: nowMs, awayAtMs: null })
          }
          if (own && (what === "lost" || what === "refused")) own.awayAtMs ??= nowMs
          const all = [...believed.keys()].flatMap((one) => usable(one) ?? [])
          for (const [i, a] of all.entries()) for (const b of all.slice(i + 1)) assert.equal(overlap(a, b), 0)
          // A lease after the store was lost, a process uses all of its share.
          const inUse = all.filter(({ awayAtMs }) => awayAtMs !== null && nowMs >= awayAtMs + leaseMs)
          const used = inUse.reduce((sum, one) => sum + partOf(one, of), 0)
          const force = {
            policy: { rates: [], concurrency: of },
            isOverridden: false,
            isPaused: false,
            closedUntilUs: 0,
            changesAtMs: null,
          }
          const left = withoutShares(force, shares, nowMs)
          const admitted = left.closedUntilUs > nowMs * 1_000 ? 0 : (left.policy.concurrency ?? 0)
          assert.ok(admitted + used <= of, `${admitted} admitted beside ${used} of ${of}`)
        }
      }),
      { numRuns: runs(1_000) },
    )
  })

  it("become even within three rounds, once everybody is heard", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 0, max: 12 }), (count, earlier) => {
        let shares: readonly OwnerShare[] = []
        const said = new Map<string, Interval>()
        const round = (owners: readonly string[], nowMs: number) => {
          for (const ownerId of owners) {
            const saying = {
              ...(said.get(ownerId) ?? noShare),
              ownerId,
              leaseMs,
              fallbackMs,
              isUsing: false,
              isLeaving: false,
              memoryMs: 0,
            }
            shares = tellShare(shares, saying, nowMs)
            said.set(ownerId, shares.find((one) => one.ownerId === ownerId)?.told ?? noShare)
          }
        }
        const all = Array.from({ length: count }, (_, i) => `p${String(i).padStart(2, "0")}`)
        round(all.slice(0, earlier), 0)
        for (let n = 1; n <= 3; n++) round(all, n * 1_000)
        assert.deepEqual(
          all.map((ownerId) => said.get(ownerId)),
          all.map((_, i) => evenShare(i, count)),
        )
      }),
      { numRuns: runs(100) },
    )
  })
})

function overlap(a: Interval, b: Interval): number {
  return Math.max(0, Math.min(a.to, b.to) - Math.max(a.from, b.from))
}
