// Whatever is given as a cron or as a time zone: read, with instants that grow, or refused with a message for people, and both in bounded time.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import fc from "fast-check"
import { nextInstants, readTimetable } from "../../src/cron/index.ts"
import { runs } from "../property/runs.ts"
import { hostileText, hostileValue, mutated } from "./corpus.ts"
import { inTime, valueOrRefusal } from "./refusal.ts"

const number = fc.integer({ min: 0, max: 62 }).map(String)
const part = fc.oneof(
  fc.constant("*"),
  number,
  fc.tuple(number, number).map(([from, to]) => `${from}-${to}`),
  number.map((step) => `*/${step}`),
  fc.tuple(number, number, number).map(([from, to, step]) => `${from}-${to}/${step}`),
  fc.constantFrom("L", "LW", "15W", "MON", "FRI#2", "MON#L", "JAN", "?", "+1", "5L", "JAN-DEC"),
)
const field = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(","))
const cron = fc.oneof(
  fc.array(field, { minLength: 4, maxLength: 7 }).map((fields) => fields.join(" ")),
  fc.tuple(number, number).map(([minute, hour]) => `${minute} ${hour} * * *`),
  fc.constantFrom("@daily", "@weekly", "@reboot", "@"),
)
const zone = fc.constantFrom(...Intl.supportedValuesOf("timeZone"))
const start = fc.integer({ min: Date.UTC(2024, 0, 1), max: Date.UTC(2031, 0, 1) })

describe("fuzz: crons", () => {
  it("are read, with instants that grow, or refused", () => {
    const given = fc.oneof({ weight: 4, arbitrary: cron }, { weight: 2, arbitrary: mutated(cron) }, { weight: 1, arbitrary: hostileValue })
    fc.assert(
      fc.property(given, zone, start, (text, timezone, fromMs) => {
        const read = inTime(() => valueOrRefusal(() => readTimetable("schedule", text, timezone), ["invalid_cron"]))
        if (!("value" in read)) return
        const instants = inTime(() => nextInstants(read.value, fromMs, 20))
        for (const [i, at] of instants.entries()) {
          assert.ok(Number.isSafeInteger(at) && at % 1_000 === 0 && at > (instants[i - 1] ?? fromMs), `${text}: ${instants.join(" ")}`)
        }
      }),
      { numRuns: runs(400) },
    )
  })

  it("know their time zone, or say that there is no such", () => {
    fc.assert(
      fc.property(fc.oneof(mutated(zone), hostileText, hostileValue), (timezone) => {
        const read = inTime(() => valueOrRefusal(() => readTimetable("schedule", "@daily", timezone), ["invalid_timezone"]))
        if ("value" in read) assert.equal(nextInstants(read.value, 0, 2).length, 2)
      }),
      { numRuns: runs(300) },
    )
  })
})
