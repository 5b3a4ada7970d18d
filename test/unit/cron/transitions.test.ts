// Changes of clocks: over every one of every zone from 2024 to 2030, each instant is what a minute-by-minute reading of the rule gives.

import { deepEqual, equal, ok } from "node:assert/strict"
import { describe, it } from "node:test"
import { nextInstant, readTimetable } from "../../../src/cron/index.ts"
import { expectedAround, type Times, times, windowMs } from "./oracle.ts"
import { describeTransition, distinct, fromMs, histories, type Transition, toMs } from "./transitions.ts"

const range = (from: number, to: number, step = 1) => Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, i) => from + i * step)
const hourMs = 3_600_000
const dayMs = 24 * hourMs

function instants(cron: string, zone: string, afterMs: number, untilMs: number): number[] {
  const timetable = readTimetable("test", cron, zone)
  const found: number[] = []
  for (let at = nextInstant(timetable, afterMs); at !== null && at <= untilMs; at = nextInstant(timetable, at)) {
    ok(at > (found.at(-1) ?? afterMs), `${cron} in ${zone}: ${new Date(at).toISOString()} comes again`)
    found.push(at)
  }
  return found
}

function daily(localMs: number): Times {
  const date = new Date(localMs)
  const [hour, minute] = [date.getUTCHours(), date.getUTCMinutes()]
  return times(`${minute} ${hour} * * *`, [hour], [minute])
}

/** Times of the day right before, within and right after what is skipped or shown twice. */
function dailyAround({ atMs, before, after }: Transition): Times[] {
  const [from, to] = [atMs + Math.min(before, after), atMs + Math.max(before, after)]
  return [from - 60_000, from, (from + to) / 2, to - 60_000, to, from + 12 * hourMs].map(daily)
}

const lists: readonly Times[] = [
  times("*/15 0-5 * * *", range(0, 5), range(0, 59, 15)),
  times("0,30 0-3,22,23 * * *", [0, 1, 2, 3, 22, 23], [0, 30]),
  times("0 */2 * * *", range(0, 23, 2), [0]),
  times("*/20 1-23/2 * * *", range(1, 23, 2), range(0, 59, 20)),
]
const everyHour: readonly Times[] = [
  times("0 * * * *", range(0, 23), [0]),
  times("45 * * * *", range(0, 23), [45]),
  times("0 0-23 * * *", range(0, 23), [0]),
  times("*/20 * * * *", range(0, 23), range(0, 59, 20)),
  times("7-59/13 */1 * * *", range(0, 23), range(7, 59, 13)),
]

function holds(transition: Transition, all: readonly Times[]): void {
  const { zone, atMs } = transition
  for (const one of all) {
    const found = instants(one.cron, zone, atMs - windowMs, atMs + windowMs)
    deepEqual(found.map(iso), expectedAround(transition, one).map(iso), `${one.cron}, ${describeTransition(transition)}`)
  }
}

const iso = (ms: number) => new Date(ms).toISOString()
const all = histories.flatMap(({ transitions }) => transitions)
const some = distinct.flatMap(({ transitions }) => transitions)

describe("cron where clocks change, 2024 to 2030", () => {
  it("looks at every kind of change there is", (t) => {
    t.diagnostic(`${histories.length} zones, ${distinct.length} that differ, ${all.length} changes`)
    ok(all.length > 1_500, `only ${all.length} changes`)
    const kinds = new Set(all.map(({ before, after }) => (after - before) / 60_000))
    for (const minutes of [30, -30, 60, -60, 120, -120]) ok(kinds.has(minutes), `no change by ${minutes} min`)
    const startsAt = (zone: string, hour: number) =>
      all.some((one) => one.zone === zone && one.after > one.before && new Date(one.atMs + one.before).getUTCHours() === hour)
    for (const zone of ["Africa/Cairo", "America/Havana", "Asia/Beirut"]) ok(startsAt(zone, 0), `${zone} does not skip midnight`)
    ok(startsAt("America/Nuuk", 23) || startsAt("America/Godthab", 23), "nobody skips the end of a day")
    ok(all.some(({ zone }) => zone === "Africa/Casablanca"))
  })

  it("times of the day come once: skipped ones at the jump, doubled ones the first time", () => {
    for (const transition of all) holds(transition, dailyAround(transition))
  })

  it("so do lists of them", () => {
    for (const transition of some) holds(transition, lists)
  })

  it("what names every hour comes whenever clocks show it", () => {
    for (const transition of some) holds(transition, everyHour)
  })

  it("hourly is every real hour, but for changes of half an hour", () => {
    for (const transition of some) {
      const { zone, atMs, before, after } = transition
      const isWhole = (after - before) % hourMs === 0
      const found = instants("0 * * * *", zone, atMs - windowMs, atMs + windowMs)
      const distances = new Set(found.slice(1).map((at, i) => (at - (found[i] ?? 0)) / hourMs))
      deepEqual([...distances].sort(), isWhole ? [1] : [1, 1.5], describeTransition(transition))
    }
  })

  it("daily is once for each day of the calendar", () => {
    const days = (toMs - fromMs) / dayMs
    for (const { zone, firstOffset, transitions } of distinct) {
      const lastOffset = transitions.at(-1)?.after ?? firstOffset
      // From the local start of 2024 to the local start of 2031.
      equal(instants("30 2 * * *", zone, fromMs - firstOffset, toMs - lastOffset).length, days, zone)
    }
  })

  it("asked from any moment it gives the next of the same instants", () => {
    for (const transition of some.filter((_one, i) => i % 5 === 0)) {
      const { zone, atMs } = transition
      for (const { cron } of [...lists, ...everyHour, ...dailyAround(transition)]) {
        const known = instants(cron, zone, atMs - 4 * hourMs, atMs + 2 * dayMs)
        const timetable = readTimetable("test", cron, zone)
        for (let at = atMs - 4 * hourMs; at < atMs + 4 * hourMs; at += 997_000)
          equal(
            nextInstant(timetable, at),
            known.find((one) => one > at),
            `${cron}, ${describeTransition(transition)}, from ${iso(at)}`,
          )
      }
    }
  })
})
