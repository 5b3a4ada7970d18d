// Crash points, for every store: each call of the script is a point, and at each the process is stopped before it, after it, and after
// it without a reply; and once it lives on without the reply and asks again. No point is left out: the points are the calls that
// the script makes, and the script has to call every operation of the contract.

import { deepEqual, ok } from "node:assert/strict"
import { describe, it } from "node:test"
import {
  type ChangeLimitRequest,
  type ChangeScheduleRequest,
  type ExchangeRequest,
  type LimitChange,
  type Operation,
  operations,
  type ScheduleChange,
} from "../../src/store/index.ts"
import type { OutcomeKind } from "../../src/task/index.ts"
import type { OpenBacking } from "../../src/testing/conformance/index.ts"
import { places } from "./places.ts"
import { type Mode, modes, repeatAt, stopAt, type Undisturbed, undisturbed } from "./points.ts"
import type { Call } from "./process.ts"

const { calls, before, after } = await undisturbed(places.memory as OpenBacking)
const callsOf = (operation: Operation): readonly Call[] => calls.filter((call) => call.operation === operation)

describe("the script of the crash points", () => {
  it("calls every operation of the contract", () => {
    const missing = operations.filter((operation) => callsOf(operation).length === 0)
    deepEqual(missing, [], "expected test/crash/script.ts to call them")
  })

  it("calls every operation that changes something where it does", () => {
    const isChange = ({ number }: Call) => JSON.stringify(before[number - 1]) !== JSON.stringify(after[number - 1])
    const reading = operations.filter((operation) => !callsOf(operation).some(isChange))
    deepEqual(reading, [
      ...[
        "unrouted",
        "get",
        "list",
        "history",
        "counts",
        "jobs",
        "job",
        "explain",
        "limits",
        "gates",
        "limitChanges",
        "forecastErrors",
        "workers",
        "waiting",
        "schedules",
        "dueSchedules",
        "now",
        "describe",
      ],
    ])
    ok(callsOf("sweep").every(isChange), "expected each sweep to find something")
  })

  it("settles with every outcome", () => {
    const every: Record<OutcomeKind, true> = {
      completed: true,
      failed: true,
      cancelled: true,
      retried: true,
      rescheduled: true,
      throttled: true,
      released: true,
    }
    const settles = callsOf("exchange").flatMap(({ request }) => (request as ExchangeRequest).settles)
    deepEqual([...new Set(settles.map(({ outcome }) => outcome.kind))].sort(), Object.keys(every).sort())
  })

  it("changes limits in every way", () => {
    const every: Record<LimitChange["kind"], true> = { set: true, pause: true, resume: true, close: true, reset: true, teach: true }
    const changes = callsOf("changeLimit").map(({ request }) => (request as ChangeLimitRequest).change.kind)
    deepEqual([...new Set(changes)].sort(), Object.keys(every).sort())
  })

  it("changes schedules in every way", () => {
    const every: Record<ScheduleChange["kind"], true> = { pause: true, resume: true, remove: true }
    const changes = callsOf("changeSchedule").map(({ request }) => (request as ChangeScheduleRequest).change.kind)
    deepEqual([...new Set(changes)].sort(), Object.keys(every).sort())
  })
})

/**
 * A server holds the same wherever a process was stopped: between two calls there is nothing of it there, which redis-*.test.ts show for
 * each call; in Postgres a call is a transaction, on S3 a record whatever the operation, over HTTP a call of the store behind it. So one call of each operation (on S3: of one that changes and
 * of one that looks) is enough for that, and only what is asked again is asked again everywhere; on Postgres, S3 and over HTTP, which take longest, by whoever hunts (SLUICE_PROPERTY_RUNS).
 */
const isHunt = process.env.SLUICE_PROPERTY_RUNS !== undefined
const isServer = (name: string) => name === "redis" || isSlow(name)
const isSlow = (name: string) => ["http", "postgres", "s3"].includes(name)
const alikeOnS3: readonly Operation[] = ["exchange", "get"]

function pointsOf(name: string, operation: Operation, mode: Mode): readonly Call[] {
  const points = callsOf(operation)
  const isOne = isServer(name) && (mode !== "repeated" || (isSlow(name) && !isHunt))
  if (name === "s3" && mode !== "repeated" && !isHunt && !alikeOnS3.includes(operation)) return []
  return isOne ? points.slice(-1) : points
}

for (const [name, open] of Object.entries(places)) {
  // Several at once keep both busy, the server and whoever asks it.
  describe(`crash points, ${name}`, { concurrency: isServer(name) ? 4 : 1 }, () => {
    let undisturbedRun: Promise<Undisturbed> | null = null
    for (const operation of operations) {
      for (const mode of Object.keys(modes) as Mode[]) {
        const points = pointsOf(name, operation, mode)
        if (points.length === 0) continue
        it(`${name}: ${operation}, ${modes[mode]}: ${shownCalls(points)}`, async () => {
          undisturbedRun ??= undisturbed(open)
          const known = await undisturbedRun
          for (const call of points) await (mode === "repeated" ? repeatAt(open, known, call) : stopAt(open, known, call, mode))
        })
      }
    }
  })
}

function shownCalls(points: readonly Call[]): string {
  return `${points.length === 1 ? "call" : "calls"} ${points.map(({ number }) => number).join(", ")}`
}
