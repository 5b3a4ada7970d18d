// Which crons and time zones are taken, and what is said about those that are not.

import { deepEqual, equal, throws } from "node:assert/strict"
import { describe, it } from "node:test"
import { nextInstants, readTimetable } from "../../../src/cron/index.ts"

const from = Date.UTC(2026, 0, 28, 12)
const next = (cron: string, timezone = "UTC", count = 3) =>
  nextInstants(readTimetable("schedule", cron, timezone), from, count).map((ms) => new Date(ms).toISOString().replace(".000Z", "Z"))

const taken: readonly (readonly [cron: string, ...next: string[]])[] = [
  ["0 9 * * 1-5", "2026-01-29T09:00:00Z", "2026-01-30T09:00:00Z", "2026-02-02T09:00:00Z"],
  ["  0   9 * * MON-FRI ", "2026-01-29T09:00:00Z", "2026-01-30T09:00:00Z", "2026-02-02T09:00:00Z"],
  ["*/20 30 12 * JAN *", "2026-01-28T12:30:00Z", "2026-01-28T12:30:20Z", "2026-01-28T12:30:40Z"],
  ["* * * * * *", "2026-01-28T12:00:01Z", "2026-01-28T12:00:02Z", "2026-01-28T12:00:03Z"],
  ["0 0 L * *", "2026-01-31T00:00:00Z", "2026-02-28T00:00:00Z", "2026-03-31T00:00:00Z"],
  ["0 8 * * FRI#2", "2026-02-13T08:00:00Z", "2026-03-13T08:00:00Z", "2026-04-10T08:00:00Z"],
  ["0 8 * * MON#L", "2026-02-23T08:00:00Z", "2026-03-30T08:00:00Z", "2026-04-27T08:00:00Z"],
  ["0 0 29 2 *", "2028-02-29T00:00:00Z", "2032-02-29T00:00:00Z", "2036-02-29T00:00:00Z"],
  ["0 12 13 * 5", "2026-01-30T12:00:00Z", "2026-02-06T12:00:00Z", "2026-02-13T12:00:00Z"],
  ["@daily", "2026-01-29T00:00:00Z", "2026-01-30T00:00:00Z", "2026-01-31T00:00:00Z"],
  ["@Hourly", "2026-01-28T13:00:00Z", "2026-01-28T14:00:00Z", "2026-01-28T15:00:00Z"],
  ["@yearly", "2027-01-01T00:00:00Z", "2028-01-01T00:00:00Z", "2029-01-01T00:00:00Z"],
]

const refused: readonly (readonly [cron: unknown, message: RegExp])[] = [
  ["0 25 * * *", /^schedule: cron: expected hours as its second field \(0 to 23; .*\), got "25" in "0 25 \* \* \*"$/],
  ["61 * * * *", /expected minutes as its first field \(0 to 59/],
  ["0 0 * * * funday", /expected days of the week as its sixth field .*, got "funday"/],
  ["99 0 0 * * *", /expected seconds as its first field/],
  ["0 0 0 * *", /expected days of the month as its third field \(1 to 31/],
  ["0 0 * 13 *", /expected months as its fourth field/],
  ["0 0 * * 8", /expected days of the week as its fifth field/],
  ["*/0 * * * *", /expected minutes as its first field/],
  ["5/15 * * * *", /a step \*\/2 or 1-5\/2\), got "5\/15"/],
  ["5-1 * * * *", /expected minutes as its first field/],
  ["1,,2 * * * *", /expected minutes as its first field/],
  ["12:30 * * * *", /expected minutes as its first field/],
  ["2026-01-28T12:00:00Z", /expected five fields .* such as "0 9 \* \* 1-5" \(9:00 on weekdays\), got "2026-01-28T12:00:00Z"/],
  ["* * * *", /expected five fields/],
  ["0 0 0 1 1 * 2027", /expected five fields/],
  ["", /expected five fields/],
  ["0 0 30 2 *", /expected a date that comes at some time, got "0 0 30 2 \*"/],
  ["@dayly", /expected one of @yearly, .*, got "@dayly"; did you mean "@daily"\?$/],
  ["@reboot", /expected one of @yearly/],
  [5, /expected a cron expression such as .*, got 5$/],
  [undefined, /got undefined$/],
  ["1".repeat(1_000), /expected a cron expression/],
]

describe("cron expressions", () => {
  for (const [cron, ...expected] of taken) it(`${cron} is taken`, () => deepEqual(next(cron), expected))

  for (const [cron, message] of refused) {
    it(`${String(cron).slice(0, 40)} is refused`, () =>
      throws(() => readTimetable("schedule", cron, "UTC"), { code: "invalid_cron", message }))
  }

  it("are about the clocks of their zone", () => {
    deepEqual(next("0 9 * * *", "Europe/Vienna", 1), ["2026-01-29T08:00:00Z"])
    deepEqual(next("0 9 * * *", "Asia/Kathmandu", 1), ["2026-01-29T03:15:00Z"])
    deepEqual(next("0 9 * * *", "america/new_york", 1), ["2026-01-28T14:00:00Z"])
    equal(readTimetable("schedule", " 0  9 * * * ", "UTC").pattern.text, "0 9 * * *")
  })

  it("say so where there is no such zone", () => {
    const refuses = (zone: unknown, message: RegExp) =>
      throws(() => readTimetable("schedule", "@daily", zone), { code: "invalid_timezone", message })
    refuses(
      "Europe/Viena",
      /^schedule: timezone: expected the name of a time zone such as .*, got "Europe\/Viena"; did you mean "Europe\/Vienna"\?$/,
    )
    refuses("Viena", /did you mean "Europe\/Vienna"\?$/)
    refuses("Mars/Olympus", /got "Mars\/Olympus"$/)
    refuses("", /got ""$/)
    refuses(7, /got 7$/)
  })
})
