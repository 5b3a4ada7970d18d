// Which instants run when somebody gets to a schedule: what is on time always does, and what was missed as its catch-up says.

import { deepEqual, equal, ok } from "node:assert/strict"
import { describe, it } from "node:test"
import fc from "fast-check"
import { dueInstants, nextInstant, onTimeMs, readTimetable } from "../../../src/cron/index.ts"
import type { CatchUp } from "../../../src/task/index.ts"

const start = Date.UTC(2026, 0, 28, 12)
const minuteMs = 60_000
const minutely = readTimetable("test", "* * * * *", "UTC")

/** In minutes from the start, for a schedule that stands at the start. */
function due(catchUp: CatchUp, nowInMinutes: number, most = 100) {
  const { instants, nextAtMs } = dueInstants(minutely, catchUp, start, start + nowInMinutes * minuteMs, most)
  return { minutes: instants.map((ms) => (ms - start) / minuteMs), next: nextAtMs === null ? null : (nextAtMs - start) / minuteMs }
}

describe("catch-up", () => {
  it("an instant on time runs, whatever the catch-up", () => {
    for (const catchUp of ["none", "last", { all: 3 }] as const) deepEqual(due(catchUp, 0.5), { minutes: [0], next: 1 })
  })

  it("none skips what is older than a minute", () => {
    deepEqual(due("none", 10.5), { minutes: [10], next: 11 })
    const hourly = readTimetable("test", "@hourly", "UTC")
    deepEqual(dueInstants(hourly, "none", start, start + 90 * minuteMs, 100), { instants: [], nextAtMs: start + 120 * minuteMs })
  })

  it("last runs the latest of what was missed, unless one is on time", () => {
    deepEqual(due("last", 10.5), { minutes: [10], next: 11 })
    const hourly = readTimetable("test", "@hourly", "UTC")
    const { instants } = dueInstants(hourly, "last", start, start + 170 * minuteMs, 100)
    deepEqual(instants, [start + 120 * minuteMs])
  })

  it("all runs the latest up to a number, oldest first", () => {
    deepEqual(due({ all: 3 }, 10.5), { minutes: [8, 9, 10], next: 11 })
    deepEqual(due({ all: 1_000 }, 10.5).minutes.length, 11)
  })

  it("what does not fit into one step is left for the next, and nothing is left out", () => {
    const first = due({ all: 8 }, 10.5, 5)
    deepEqual(first, { minutes: [3, 4, 5, 6, 7], next: 8 })
    const { instants, nextAtMs } = dueInstants(minutely, { all: 8 }, start + 8 * minuteMs, start + 10.5 * minuteMs, 5)
    deepEqual([instants.map((ms) => (ms - start) / minuteMs), nextAtMs], [[8, 9, 10], start + 11 * minuteMs])
  })

  it("of every second, all that are on time run", () => {
    const secondly = readTimetable("test", "* * * * * *", "UTC")
    equal(dueInstants(secondly, "last", start, start + 5_000, 100).instants.length, 6)
  })

  it("an absence of years costs no more than what runs", () => {
    const secondly = readTimetable("test", "* * * * * *", "UTC")
    const { instants } = dueInstants(secondly, { all: 1_000 }, start - 5 * 365 * 86_400_000, start, 1_000)
    equal(instants.length, 1_000)
    equal(instants.at(-1), start)
  })

  it("gives what choosing among all instants would give", () => {
    const crons = fc.constantFrom("* * * * *", "*/7 * * * *", "0 * * * *", "30 2 * * *", "*/20 * * * * *", "0 9 * * 1")
    const catchUps = fc.oneof(fc.constantFrom<CatchUp>("none", "last"), fc.record({ all: fc.integer({ min: 1, max: 30 }) }))
    fc.assert(
      fc.property(crons, catchUps, fc.integer({ min: 0, max: 4 * 86_400 }), (cron, catchUp, lateSeconds) => {
        const timetable = readTimetable("test", cron, "Europe/Vienna")
        const from = nextInstant(timetable, start) ?? 0
        const nowMs = from + lateSeconds * 500
        const every: number[] = []
        for (let at: number | null = from; at !== null && at <= nowMs; at = nextInstant(timetable, at)) every.push(at)
        const onTime = every.filter((at) => at > nowMs - onTimeMs)
        const count = typeof catchUp === "string" ? (catchUp === "none" || onTime.length > 0 ? 0 : 1) : catchUp.all
        const expected = every.slice(every.length - Math.min(every.length, Math.max(count, onTime.length)))
        const { instants, nextAtMs } = dueInstants(timetable, catchUp, from, nowMs, 1_000_000)
        deepEqual(instants, expected)
        ok(nextAtMs !== null && nextAtMs > nowMs)
      }),
    )
  })
})
