// The sorted set of the memory store is a plain sorted array that is faster: it answers the same after any adds and deletes.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import fc from "fast-check"
import { SortedSet } from "../../src/stores/memory/sorted.ts"

const item = fc.integer({ min: 0, max: 3_000 })
/** Runs of neighbours fill and empty whole chunks, which single items would seldom do. */
const change = fc.record({ what: fc.constantFrom("add", "add", "add", "delete"), from: item, count: fc.constantFrom(1, 1, 40, 700) })

function filled(changes: readonly { what: string; from: number; count: number }[]) {
  const set = new SortedSet<number>((a, b) => a - b)
  const plain = new Set<number>()
  for (const { what, from, count } of changes) {
    for (let n = from; n < from + count; n++) {
      if (what === "delete") assert.equal(set.delete(n), plain.delete(n))
      else if (!plain.has(n)) {
        set.add(n)
        plain.add(n)
      }
    }
  }
  return { set, sorted: [...plain].sort((a, b) => a - b) }
}

describe("the sorted set", () => {
  it("holds what a sorted array would hold", () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 30, size: "max" }), (changes) => {
        const { set, sorted } = filled(changes)
        assert.deepEqual([...set.from()], sorted)
        assert.equal(set.size, sorted.length)
        assert.equal(set.first(), sorted[0])
      }),
    )
  })

  it("cuts, goes back and takes like a sorted array", () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 20, size: "max" }), item, fc.nat(1_500), (changes, at, limit) => {
        const { set, sorted } = filled(changes)
        assert.deepEqual(set.slice(at, limit), sorted.slice(at, at + limit))
        assert.deepEqual([...set.from(at)], sorted.slice(at))
        assert.deepEqual([...set.before(at)], sorted.filter((n) => n < at).toReversed())
        assert.deepEqual([...set.before(null)], sorted.toReversed())
        assert.deepEqual(
          set.takeWhile((n) => n <= at, limit),
          sorted.filter((n) => n <= at).slice(0, limit),
        )
      }),
    )
  })
})
