// Options that are wrong: each is refused with what was expected, what came and what to do, and nothing is stored.

import { deepEqual, equal } from "node:assert/strict"
import { describe, it } from "node:test"
import { defineTask, type ErrorCode } from "../../../src/index.ts"
import { openQueue, refuses } from "./kit.ts"

const durations = 'expected a duration such as "500ms", "30s", "5m", "1h" or "7d"'
const instants = 'expected a Date or a time with its zone such as "2026-01-28T17:00:00Z"'
const names = 'expected 1 to 128 letters, digits, "_", "-", "." or ":", not starting with "." or ":"'
const known =
  "known are scheduleAt, delay, ttl, ttlSeconds, expiresAt, timeout, timeoutSeconds, maxRetries, maxReschedules, maxThrottles, priority, idempotencyKey, tags, flow, job, tx, gates"
const keys = "expected 1 to 512 characters without control characters"

const refused: readonly (readonly [unknown, ErrorCode, string])[] = [
  [{ maxRetrys: 3 }, "invalid_option", 'submit mail: unknown option "maxRetrys"; did you mean "maxRetries"?'],
  [{ max_retries: 3 }, "invalid_option", 'submit mail: unknown option "max_retries"; did you mean "maxRetries"?'],
  [{ TTL: "1h" }, "invalid_option", 'submit mail: unknown option "TTL"; did you mean "ttl"?'],
  [{ colour: "red" }, "invalid_option", `submit mail: unknown option "colour"; ${known}`],
  [JSON.parse('{"__proto__": 1}'), "invalid_option", `submit mail: unknown option "__proto__"; ${known}`],
  [null, "invalid_option", "submit mail: expected an object of options, got null"],
  [[], "invalid_option", "submit mail: expected an object of options, got an array"],
  ["1h", "invalid_option", 'submit mail: expected an object of options, got "1h"'],

  [{ ttl: 60 }, "invalid_duration", `submit mail: ttl: ${durations}, got 60 (a number has no unit: write "60s" for seconds)`],
  [{ ttl: "60" }, "invalid_duration", `submit mail: ttl: ${durations}, got "60" (a number has no unit: write "60s" for seconds)`],
  [{ ttl: "-5s" }, "invalid_duration", `submit mail: ttl: ${durations}, got "-5s"`],
  [{ ttl: -5 }, "invalid_duration", `submit mail: ttl: ${durations}, got -5`],
  [{ ttl: "" }, "invalid_duration", `submit mail: ttl: ${durations}, got ""`],
  [{ ttl: "1 hour" }, "invalid_duration", `submit mail: ttl: ${durations}, got "1 hour"`],
  [{ ttl: null }, "invalid_duration", `submit mail: ttl: ${durations}, got null`],
  [{ ttl: Number.NaN }, "invalid_duration", `submit mail: ttl: ${durations}, got NaN`],
  [{ ttl: "999999999999999w" }, "invalid_duration", 'submit mail: ttl: expected at most 100000 years, got "999999999999999w"'],
  [{ delay: "soon" }, "invalid_duration", `submit mail: delay: ${durations}, got "soon"`],
  [{ ttlSeconds: -1 }, "invalid_duration", "submit mail: ttlSeconds: expected a number of seconds, 0 or more, got -1"],
  [{ ttlSeconds: "300" }, "invalid_duration", 'submit mail: ttlSeconds: expected a number of seconds, 0 or more, got "300"'],
  [
    { ttlSeconds: Number.POSITIVE_INFINITY },
    "invalid_duration",
    "submit mail: ttlSeconds: expected a number of seconds, 0 or more, got Infinity",
  ],
  [{ timeout: 0 }, "invalid_duration", "submit mail: timeout: expected more than 0"],
  [{ timeoutSeconds: 0 }, "invalid_duration", "submit mail: timeout: expected more than 0"],

  [{ expiresAt: "tomorrow" }, "invalid_date", `submit mail: expiresAt: ${instants}, got "tomorrow"`],
  [{ expiresAt: "2026-01-28T17:00:00" }, "invalid_date", `submit mail: expiresAt: ${instants}, got "2026-01-28T17:00:00"`],
  [{ expiresAt: "2026-02-30T17:00:00Z" }, "invalid_date", `submit mail: expiresAt: ${instants}, got "2026-02-30T17:00:00Z"`],
  [{ expiresAt: "2026-01-28T25:00:00Z" }, "invalid_date", `submit mail: expiresAt: ${instants}, got "2026-01-28T25:00:00Z"`],
  [{ expiresAt: 1_769_619_600_000 }, "invalid_date", `submit mail: expiresAt: ${instants}, got 1769619600000`],
  [{ expiresAt: new Date(Number.NaN) }, "invalid_date", `submit mail: expiresAt: ${instants}, got an invalid Date`],
  [{ scheduleAt: null }, "invalid_date", `submit mail: scheduleAt: ${instants}, got null`],

  [
    { ttl: "1h", expiresAt: "2026-01-28T17:00:00Z" },
    "invalid_option",
    "submit mail: expected only one of ttl, ttlSeconds, expiresAt, got ttl and expiresAt",
  ],
  [{ ttl: "1h", ttlSeconds: 1 }, "invalid_option", "submit mail: expected only one of ttl, ttlSeconds, expiresAt, got ttl and ttlSeconds"],
  [
    { delay: "1h", scheduleAt: "2026-01-28T17:00:00Z" },
    "invalid_option",
    "submit mail: expected only one of scheduleAt, delay, got scheduleAt and delay",
  ],
  [
    { timeout: "1h", timeoutSeconds: 1 },
    "invalid_option",
    "submit mail: expected only one of timeout, timeoutSeconds, got timeout and timeoutSeconds",
  ],
  [
    { scheduleAt: "2026-01-28T18:00:00Z", expiresAt: "2026-01-28T17:00:00Z" },
    "schedule_after_expiry",
    "submit mail: expected a schedule before the expiry, got schedule_at 2026-01-28T18:00:00Z after expires_at 2026-01-28T17:00:00Z",
  ],
  [
    { delay: "2h", ttl: "1h" },
    "schedule_after_expiry",
    "submit mail: expected a schedule before the expiry, got schedule_at 2026-01-28T14:00:00Z after expires_at 2026-01-28T13:00:00Z",
  ],

  [{ maxRetries: -1 }, "invalid_option", "submit mail: maxRetries: expected a whole number from 0 to 1000000, got -1"],
  [{ maxRetries: 1.5 }, "invalid_option", "submit mail: maxRetries: expected a whole number from 0 to 1000000, got 1.5"],
  [{ maxRetries: null }, "invalid_option", "submit mail: maxRetries: expected a whole number from 0 to 1000000, got null"],
  [{ maxReschedules: "100" }, "invalid_option", 'submit mail: maxReschedules: expected a whole number from 0 to 1000000000, got "100"'],
  [{ priority: 99_999 }, "invalid_option", "submit mail: priority: expected a whole number from -32768 to 32767, got 99999"],

  [{ tags: "a" }, "invalid_option", 'submit mail: tags: expected an array, got "a"'],
  [{ tags: Array.from({ length: 33 }, (_, i) => `t${i}`) }, "invalid_option", "submit mail: tags: expected at most 32, got 33"],
  [{ tags: ["ok", "not ok"] }, "invalid_name", `submit mail: tags[1]: ${names}, got "not ok"`],
  [{ tags: [""] }, "invalid_name", `submit mail: tags[0]: ${names}, got ""`],
  [{ tags: [5] }, "invalid_name", `submit mail: tags[0]: ${names}, got 5`],
  [{ idempotencyKey: "" }, "invalid_name", `submit mail: idempotencyKey: ${keys}, got ""`],
  [{ idempotencyKey: "a\nb" }, "invalid_name", `submit mail: idempotencyKey: ${keys}, got "a\\nb"`],
  [{ idempotencyKey: "\ud800" }, "invalid_name", `submit mail: idempotencyKey: ${keys}, got "\\ud800"`],
  [{ idempotencyKey: "x".repeat(513) }, "invalid_name", `submit mail: idempotencyKey: ${keys}, got "${"x".repeat(57)}..."`],
  [{ flow: 7 }, "invalid_name", `submit mail: flow: ${keys}, got 7`],
]

describe("submit refuses options", () => {
  for (const [options, code, message] of refused) {
    it(message, async () => {
      const queue = await openQueue()
      await refuses(queue, () => queue.submit("mail", {}, options as never), { code, message })
      await refuses(queue, () => queue.submitMany("mail", [{}, {}], { each: (_input, i) => (i === 1 ? options : {}) as never }), {
        code,
        message,
      })
    })
  }
})

describe("submit takes", () => {
  it("an expiry that has passed: the task is stored expired", async () => {
    const queue = await openQueue()
    for (const options of [{ ttl: 0 }, { ttlSeconds: 0 }, { expiresAt: "2020-01-01T00:00:00Z" }] as const) {
      const { id } = await queue.submit("mail", {}, options)
      equal((await queue.get(id))?.status, "expired")
    }
  })

  it("a schedule that has passed: the task is due now", async () => {
    const queue = await openQueue()
    const { availableAt, createdAt } = await queue.submit("mail", {}, { scheduleAt: "2020-01-01T00:00:00Z" })
    deepEqual(availableAt, createdAt)
  })

  it("a schedule at the very time of the expiry", async () => {
    const queue = await openQueue()
    equal((await queue.submit("mail", {}, { delay: "1h", ttl: "1h" })).status, "pending")
  })

  it("times that no Date could hold, as the last that one can", async () => {
    const queue = await openQueue()
    const { availableAt } = await queue.submit("mail", {}, { scheduleAt: new Date(8.64e15) })
    equal(availableAt.getTime(), 8.64e15)
  })

  it("undefined as not given", async () => {
    const queue = await openQueue()
    const { expiresAt, maxRetries } = await queue.submit("mail", {}, { ttl: undefined, maxRetries: undefined } as never)
    deepEqual([expiresAt, maxRetries], [null, 3])
  })

  it("a tag twice as once", async () => {
    const queue = await openQueue()
    deepEqual((await queue.submit("mail", {}, { tags: ["b", "a", "b"] })).tags, ["b", "a"])
  })

  it("the definition's defaults, the batch's options and each task's own, the later the stronger", async () => {
    const queue = await openQueue()
    const mail = defineTask("mail", { timeout: "10s", maxRetries: 7, priority: 1, run: () => null })
    const { timeoutSeconds, maxRetries, priority } = await queue.submit(mail, null, { timeoutSeconds: 20, priority: 2 })
    deepEqual([timeoutSeconds, maxRetries, priority], [20, 7, 2])
    const many = await queue.submitMany(mail, [1, 2], {
      ttl: "1h",
      maxRetries: 8,
      each: (_input, i) => (i === 1 ? { ttlSeconds: 5, maxRetries: 9 } : {}),
    })
    deepEqual(
      many.map((task) => [task.maxRetries, (task.expiresAt?.getTime() ?? 0) - task.createdAt.getTime()]),
      [
        [8, 3_600_000],
        [9, 5_000],
      ],
    )
  })
})

describe("a task type", () => {
  const odd: readonly unknown[] = [
    "",
    " ",
    "two words",
    "../up",
    ".hidden",
    ":x",
    "a/b",
    "ä",
    "a\u0000",
    "x".repeat(129),
    undefined,
    null,
    5,
    {},
    [],
    () => null,
  ]
  for (const type of odd) {
    it(`that is none is refused: ${typeof type === "string" ? JSON.stringify(type.slice(0, 20)) : String(type)}`, async () => {
      const queue = await openQueue()
      const shown =
        typeof type === "string"
          ? JSON.stringify(type.length > 60 ? `${type.slice(0, 57)}...` : type)
          : Array.isArray(type)
            ? "an array"
            : typeof type === "function"
              ? "a function"
              : type !== null && typeof type === "object"
                ? "an object"
                : String(type)
      await refuses(queue, () => queue.submit(type as never, {}), { code: "invalid_name", message: `task type: ${names}, got ${shown}` })
    })
  }

  it("may have digits, dots, colons and dashes, and a name like a property of Object", async () => {
    const queue = await openQueue()
    for (const type of ["call_api", "v2:mail.send-now", "0", "constructor", "__proto__", "x".repeat(128)]) {
      equal((await queue.submit(type, {})).type, type)
      equal((await queue.counts({ type })).pending, 1)
    }
  })
})
