// How many tasks a claim at gates takes: as many as there is time to start, however long the way to the store.

import { deepEqual, equal } from "node:assert/strict"
import { describe, it } from "node:test"
import { ClaimSize } from "../../../src/worker/claim-size.ts"

/** The sizes after answers of these ages, each of which brought all that was asked for. */
function sizesAfter(agesMs: readonly number[], size = new ClaimSize(250)): number[] {
  return agesMs.map((ageMs) => {
    size.answered(size.most, ageMs)
    return size.most
  })
}

const answers = (count: number, ageMs: number) => Array<number>(count).fill(ageMs)

describe("the size of a claim at gates", () => {
  it("is 50 at first, and doubles up to the budget with each answer that comes soon", () => {
    equal(new ClaimSize(250).most, 50)
    deepEqual(sizesAfter([80, 10]), [100, 100])
  })

  it("stays where an answer brought less: there was no more", () => {
    const size = new ClaimSize(250)
    size.answered(49, 0)
    equal(size.most, 50)
  })

  it("halves with an answer that comes late, down to 20", () => {
    deepEqual(sizesAfter([0, 0, 200, 0, 240, 250, 600]), [100, 100, 50, 100, 50, 25, 20])
  })

  it("grows where every answer takes as long: the way is long, and fewer would come no sooner", () => {
    for (const wayMs of [100, 180, 240]) {
      const size = new ClaimSize(250)
      sizesAfter(answers(10, wayMs), size)
      equal(size.most, 25)
      sizesAfter(answers(30, wayMs), size)
      equal(size.most, 100, `${wayMs} ms`)
    }
  })

  it("halves where an answer comes late for its way, and grows again only once that is known anew", () => {
    const size = new ClaimSize(250)
    sizesAfter(answers(40, 100), size)
    deepEqual(sizesAfter([149, 152], size), [100, 50])
    deepEqual(sizesAfter(answers(10, 100), size).slice(-2), [50, 100])
  })

  it("stays small where nothing that is claimed can start in time", () => {
    deepEqual(sizesAfter(answers(40, 300)), [25, ...answers(39, 20)])
  })
})
