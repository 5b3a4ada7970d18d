// A quota that somebody else uses as well. What is told says how much is left, and not how much of it the others will take.

import { equal, ok } from "node:assert/strict"
import { describe, it } from "node:test"
import { second } from "./answers.ts"
import { fixedSide, shared, slidingSide, Told } from "./telling.ts"

const minute = 60 * second

/** Answers in the hour after the first one, as many as there are. */
function secondHour(told: Told): { refused: number; served: number } {
  told.run(60 * minute)
  const { refused, served } = told
  told.run(60 * minute)
  return { refused: told.refused - refused, served: told.served - served }
}

describe("a quota that is shared with somebody else", () => {
  it("is not fought for: of a log that slides, whose reset says nothing of its length, the limit is looked for instead", () => {
    const told = new Told(shared(slidingSide(100, minute), 1.5 * second), "seconds")
    const { refused, served } = secondHour(told)
    ok(refused < served / 50, `${refused} refused beside ${served} served`)
    ok(served > 0.6 * 60 * 60, `${served} served in an hour in which the other leaves 3,600`)
    ok(told.state.learned?.quota !== undefined)
  })

  it("is kept to where it says what is left: a window loses little to the other, and is not doubted", () => {
    const told = new Told(shared(fixedSide(100, minute), 1.5 * second), "seconds")
    const { refused, served } = secondHour(told)
    ok(refused < served / 100, `${refused} refused beside ${served} served`)
    ok(served > 0.9 * 60 * 60, `${served} served in an hour in which the other leaves 3,600`)
    equal(told.state.learned?.quota?.doubtedUntilUs, 0)
  })
})
