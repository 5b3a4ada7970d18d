// Where writers of one log write, by what the log tells them: beside each other where all go on, and past those who stay silent.

import { deepEqual, equal, ok } from "node:assert/strict"
import { describe, it } from "node:test"
import type { RecordHead } from "../../../src/stores/s3/record.ts"
import { type Advice, Turns } from "../../../src/stores/s3/turns.ts"

const tripMs = 50

/** One log and its writers, all of whom have read it to its end. */
class Table {
  hasLimits = false
  private nowMs = 0
  private end = 0
  private readonly turns = new Map<string, Turns>()

  sit(...writers: readonly string[]): void {
    for (const writer of writers) this.turns.set(writer, new Turns({ monotonicMs: () => this.nowMs, random: () => 0.5 }, writer))
    for (const writer of writers) this.next(writer)
  }

  next(writer: string, writtenAt: number | null = null): Advice {
    return this.of(writer).next({ end: this.end, writtenAt, tripMs, hasLimits: this.hasLimits })
  }

  /** Where it writes; a word where it does not. */
  place(writer: string): number | string {
    const advice = this.next(writer)
    return advice.kind === "write" ? advice.head.number - this.end : advice.kind
  }

  write(writer: string, head: Partial<RecordHead> = {}): void {
    this.end++
    this.of(writer).wrote()
    for (const turns of this.turns.values()) turns.heard({ writer, ...head })
  }

  pass(ms: number): void {
    this.nowMs += ms
  }

  lookAll(): void {
    for (const turns of this.turns.values()) turns.sawEnd(this.nowMs)
  }

  of(writer: string): Turns {
    return this.turns.get(writer) as Turns
  }
}

function crowded(...writers: readonly string[]): Table {
  const table = new Table()
  table.sit(...writers)
  for (const writer of writers) table.write(writer, { again: true })
  return table
}

describe("turns", () => {
  it("one request that took long does not put whoever stands far back to sleep for its turn", () => {
    const writers = Array.from({ length: 12 }, (_, i) => `w${i}`)
    const table = crowded(...writers)
    table.hasLimits = true
    const told = (took: number) => {
      const advice = table.of("w11").next({ end: 12, writtenAt: null, tripMs: took, hasLimits: true })
      return advice.kind === "read" ? advice.pauseMs : advice.kind
    }
    // So many write before it, one after the other.
    equal(told(20), 11 * (1 + 10 * 1.5))
    ok(Number(told(200)) <= 200, `${told(200)}`)
    // A PUT of two seconds: never longer than that, and not eleven times as long.
    ok(Number(told(2_000)) <= 2_000, `${told(2_000)}`)
  })

  it("what was written, or may have been, is written at its own number and nowhere else, whatever the row is like", () => {
    const writers = ["a", "b", "c", "d", "e", "f"]
    for (const [row, hasLimits, silentMs] of [0, 1, 3, 6].flatMap((size) =>
      [false, true].flatMap((limits) => [0, 120, 5_000].map((ms) => [writers.slice(0, size), limits, ms] as const)),
    )) {
      const table = crowded(...row)
      table.sit("me")
      table.hasLimits = hasLimits
      table.pass(silentMs)
      table.lookAll()
      for (const writer of [...row, "me"])
        for (let ahead = 1; ahead <= 5; ahead++) {
          const advice = table.next(writer, row.length + ahead)
          const wroteAt = advice.kind === "write" ? advice.head.number : null
          ok(
            wroteAt === null || wroteAt === row.length + ahead,
            `${writer} of ${row.length}: expected ${row.length + ahead}, got ${wroteAt}`,
          )
          if (ahead === 1) equal(advice.kind, "write", "nothing before it is missing: it can be written again")
        }
    }
  })

  it("alone it takes the next number, and says nothing of going on", () => {
    const table = new Table()
    table.sit("a")
    for (let i = 0; i < 3; i++) {
      deepEqual(table.next("a"), { kind: "write", head: { number: i + 1 } })
      table.write("a")
    }
  })

  it("those who go on have a number each, in the order in which they wrote last", () => {
    const table = crowded("a", "b", "c")
    deepEqual(
      ["a", "b", "c"].map((writer) => table.place(writer)),
      [1, 2, 3],
    )
    table.write("a", { again: true })
    deepEqual(
      ["b", "c", "a"].map((writer) => table.place(writer)),
      [1, 2, 3],
    )
  })

  it("no more than four write at once: the others read along", () => {
    const table = crowded("a", "b", "c", "d", "e")
    deepEqual(
      ["a", "b", "c", "d", "e"].map((writer) => table.place(writer)),
      [1, 2, 3, 4, "read"],
    )
  })

  it("the further back its number, the longer whoever reads along waits before it looks again", () => {
    const table = crowded("a", "b", "c", "d", "e", "f", "g", "h", "i")
    const pauses = ["e", "h", "i"].map((writer) => {
      const advice = table.next(writer)
      return advice.kind === "read" ? advice.pauseMs : null
    })
    const [first] = pauses
    deepEqual(pauses, [first, first, 2 * (first ?? 0)])
  })

  it("where there are limits only the next number is written, so that what is charged starts soon", () => {
    const table = crowded("a", "b")
    table.hasLimits = true
    deepEqual(
      ["a", "b"].map((writer) => table.place(writer)),
      [1, "read"],
    )
  })

  it("a newcomer takes a number behind them, and whose it was has the one that it would have had next", () => {
    const table = crowded("a", "b")
    table.sit("n")
    // It reads along once to know the row.
    table.write("a", { again: true })
    table.write("b", { again: true })
    deepEqual(table.next("n"), { kind: "write", head: { number: 4 + 3, over: "a" } })
    table.write("a", { again: true })
    table.write("b", { again: true })
    table.write("n", { over: "a", again: true })
    deepEqual(
      ["b", "a", "n"].map((writer) => table.place(writer)),
      [1, 2, 3],
    )
  })

  it("whoever has lost a race to one that does not know of it meets it further on", () => {
    const table = new Table()
    table.sit("a", "n")
    table.write("a")
    table.of("n").lost()
    equal(table.place("n"), 2)
    table.of("n").lost()
    equal(table.place("n"), 3)
    table.write("n")
    equal(table.place("n"), 1)
  })

  it("what is written behind a number that stays empty waits, and then fills it", () => {
    const table = crowded("dead", "a", "b")
    equal(table.next("a", 5).kind, "read")
    table.pass(3 * tripMs + tripMs + 1)
    equal(table.next("a", 5).kind, "read")
    table.lookAll()
    deepEqual(table.next("a", 5), { kind: "fill", head: { number: 4, without: "dead" } })
    // The one behind it is more patient: they do not both fill it.
    equal(table.next("b", 6).kind, "read")
    table.write("a", { without: "dead" })
    deepEqual(
      ["a", "b"].map((writer) => table.place(writer)),
      [1, 2],
    )
  })

  it("whoever comes back after a while looks before it takes the place of one that only it has not heard of", () => {
    const table = crowded("a", "b")
    table.sit("n")
    table.write("a", { again: true })
    table.pass(400)
    equal(table.place("n"), "read")
    table.lookAll()
    deepEqual(table.next("n"), { kind: "write", head: { number: 4, without: "a" } })
  })

  it("whoever leaves is expected no more, and does not come back to the row at once", () => {
    const table = crowded("a", "b")
    equal(table.of("a").isExpected, true)
    table.of("a").leave()
    equal(table.of("a").isExpected, false)
    table.write("a")
    equal(table.place("b"), 1)
    const advice = table.next("a")
    equal(advice.kind === "write" && advice.head.again, undefined)
  })
})
