// Limits as people watch and change them.

import { deepEqual, equal, match, rejects } from "node:assert/strict"
import { describe, it } from "node:test"
import { defineLimit, defineTask, type ErrorCode, type Queue } from "../../../src/index.ts"
import { openQueue } from "./kit.ts"

const run = () => null
const api = defineLimit("api", { rate: "10/10s", provider: "fixed", phase: "3s" })
const slots = defineLimit("slots", { concurrency: 2 })
const call = defineTask("call", { limits: (key: string) => [api(key), slots()], run })

async function withLimits(): Promise<Queue> {
  const queue = await openQueue()
  await queue.submitMany(call, ["a", "a", "b"])
  return queue
}

const gate = async (queue: Queue, key: string) => (await queue.limits.gates("api", { key })).gates[0]

describe("queue.limits", () => {
  it("lists what code has declared", async () => {
    const queue = await withLimits()
    const limits = await queue.limits.list()
    deepEqual(
      limits.map(({ name, base }) => ({ name, base })),
      [
        { name: "api", base: api.policy },
        { name: "slots", base: slots.policy },
      ],
    )
    const found = await queue.limits.get("api")
    deepEqual(found.declarations, [{ policy: api.policy, seenAt: new Date("2026-01-28T12:00:00Z") }])
    deepEqual([found.settings, found.waitingTasks], [{}, 3])
  })

  it("shows gates by key, page by page", async () => {
    const queue = await openQueue()
    await queue.submitMany(call, ["a", "b", "c", "d", "e"])
    const keys: string[] = []
    let cursor: string | null = null
    do {
      const page = await queue.limits.gates("api", { limit: 2, ...(cursor === null ? {} : { cursor }) })
      keys.push(...page.gates.map((one) => one.key))
      cursor = page.cursor
    } while (cursor !== null)
    deepEqual(keys, ["a", "b", "c", "d", "e"])
    const one = await gate(queue, "b")
    deepEqual([one?.gate, one?.waitingTasks, one?.isOverridden, one?.levels], ["api/b", 1, false, [{ used: 0, of: 10, perMs: 10_000 }]])
    equal((await queue.limits.gates("slots", { key: "" })).gates[0]?.slots?.of, 2)
  })

  it("sets a rate that is counted as the code says, unless it says otherwise", async () => {
    const queue = await withLimits()
    const { settings, base } = await queue.limits.set("api", { rate: "5/4s" }, { by: "ada", until: "2026-01-28T13:00:00Z" })
    const rate = { limit: 5, perUs: 4_000_000, provider: "fixed", burst: 5, phaseUs: 3_000_000, guardUs: 250_000, slackUs: 0 }
    deepEqual(settings[""], {
      override: { rates: [rate] },
      overrideUntil: new Date("2026-01-28T13:00:00Z"),
      isPaused: false,
      closedUntil: null,
    })
    deepEqual(base, api.policy)
    deepEqual((await gate(queue, "a"))?.policy, { rates: [rate], concurrency: null })
    await queue.limits.set("api", { rate: "5/4s", provider: "sliding" })
    equal((await gate(queue, "a"))?.policy.rates[0]?.provider, "sliding")
    await queue.limits.set("api", { concurrency: 3 }, { key: "b" })
    deepEqual([(await gate(queue, "a"))?.policy.concurrency, (await gate(queue, "b"))?.policy.concurrency], [null, 3])
    await queue.limits.reset("api")
    await queue.limits.reset("api", { key: "b" })
    deepEqual(
      [await gate(queue, "a"), await gate(queue, "b")].map((one) => one?.policy),
      [api.policy, api.policy],
    )
  })

  it("pauses, resumes and closes a limit or one of its gates", async () => {
    const queue = await withLimits()
    await queue.limits.pause("api", { key: "a" })
    deepEqual(
      [(await gate(queue, "a"))?.isPaused, (await gate(queue, "a"))?.opensAt, (await gate(queue, "b"))?.isPaused],
      [true, null, false],
    )
    await queue.limits.resume("api", { key: "a" })
    equal((await gate(queue, "a"))?.isPaused, false)
    await queue.limits.close("api", { until: new Date("2026-01-28T12:30:00Z") })
    deepEqual((await gate(queue, "b"))?.closedUntil, new Date("2026-01-28T12:30:00Z"))
  })

  it("keeps a log of who changed what, newest first", async () => {
    const queue = await withLimits()
    await queue.limits.pause("api", { key: "a", by: "ada" })
    await queue.limits.set("slots", { concurrency: 1 }, { by: "bob", until: "2026-01-28T13:00:00Z" })
    await queue.limits.reset("api", { key: "a" })
    const log = await queue.limits.history()
    deepEqual(
      log.slice(1, 3).map(({ text }) => text),
      ["slots: set to 1 at once until 2026-01-28T13:00:00Z, by bob", "api/a: paused, by ada"],
    )
    match(log[0]?.text ?? "", /^api\/a: back to what the code says, by process \d+ on \S+$/)
    match(log.at(-1)?.text ?? "", /^(api: the code says 10\/10s \(fixed, guard 250ms, phase 3s\)|slots: the code says 2 at once), by /)
    deepEqual(log[1]?.change, { kind: "set", override: { concurrency: 1 }, until: new Date("2026-01-28T13:00:00Z") })
    deepEqual(
      (await queue.limits.history({ limit: "slots", count: 1 })).map(({ number }) => number),
      [log[1]?.number],
    )
    deepEqual(
      (await queue.limits.history({ before: log[1]?.number ?? 0, count: 1 })).map(({ number }) => number),
      [log[2]?.number],
    )
  })

  const refused: readonly (readonly [string, (queue: Queue) => Promise<unknown>, ErrorCode, string])[] = [
    [
      "an unknown name",
      (queue) => queue.limits.get("nobody"),
      "unknown_limit",
      'limits.get: expected a limit that some code has declared, got "nobody"; known are api, slots',
    ],
    [
      "an unknown name to look into",
      (queue) => queue.limits.gates("nobody"),
      "unknown_limit",
      'limits.gates: expected a limit that some code has declared, got "nobody"; known are api, slots',
    ],
    [
      "an unknown name to pause",
      (queue) => queue.limits.pause("nobody"),
      "unknown_limit",
      'limits.pause: expected a limit that some code has declared, got "nobody"; known are api, slots',
    ],
    [
      "an unknown name to set",
      (queue) => queue.limits.set("nobody", { concurrency: 1 }),
      "unknown_limit",
      'limits.set: expected a limit that some code has declared, got "nobody"; known are api, slots',
    ],
    [
      "a rate that is none",
      (queue) => queue.limits.set("api", { rate: "100 per sec" }),
      "invalid_rate",
      'limits.set "api": rate: expected a rate such as "10/10s", "100/1m" or "3/s", got "100 per sec"',
    ],
    [
      "to set nothing",
      (queue) => queue.limits.set("api", {}),
      "invalid_option",
      'limits.set "api": expected a rate such as "10/10s", a concurrency, or both, got neither',
    ],
    [
      "a concurrency of nothing",
      (queue) => queue.limits.set("api", { concurrency: 0 }),
      "invalid_option",
      'limits.set "api": concurrency: expected a whole number from 1 to 1000000, got 0',
    ],
    [
      "to close without a time",
      (queue) => queue.limits.close("api", {} as never),
      "invalid_date",
      'limits.close: until: expected a Date or a time with its zone such as "2026-01-28T17:00:00Z", got undefined',
    ],
    [
      "an odd key",
      (queue) => queue.limits.pause("api", { key: "" }),
      "invalid_name",
      'limits.pause: key: expected 1 to 512 characters without control characters, got ""',
    ],
    [
      "an odd option",
      (queue) => queue.limits.pause("api", { kee: "a" } as never),
      "invalid_option",
      'limits.pause: unknown option "kee"; did you mean "key"?',
    ],
    [
      "a cursor that is none",
      (queue) => queue.limits.gates("api", { cursor: "x" }),
      "invalid_cursor",
      'limits.gates: cursor: expected the cursor of the page before, got "x"',
    ],
  ]
  for (const [name, ask, code, message] of refused) {
    it(`refuses ${name}`, async () => rejects(ask(await withLimits()), { code, message }))
  }

  it("says so where no limit is known at all", async () => {
    const queue = await openQueue()
    deepEqual(await queue.limits.list(), [])
    await rejects(queue.limits.get("api"), {
      message: 'limits.get: expected a limit that some code has declared, got "api"; none is known yet',
    })
  })
})
