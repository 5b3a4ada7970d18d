// A task survives its layout: what the script packs, the client unpacks to the same record, and so does the script itself.

import assert from "node:assert/strict"
import { randomBytes } from "node:crypto"
import { readFileSync } from "node:fs"
import { after, before, it } from "node:test"
import fc from "fast-check"
import { type Client, loadDriver } from "../../src/stores/redis/driver.ts"
import { storedEvents, storedOutcomes, storedStatuses } from "../../src/stores/redis/layout.ts"
import { parseLocation } from "../../src/stores/redis/location.ts"
import { toTask } from "../../src/stores/redis/row.ts"
import { type HistoryEntry, statuses, type TaskRecord } from "../../src/task/index.ts"
import { sharedRedis } from "../engines/redis.ts"

const lastMs = 8.64e15
const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.constantFrom("", "0", "\u0000", "ö\u2028🦭", "a".repeat(255), "b".repeat(70_000)),
)
const name = fc.string({ unit: "binary", minLength: 1, maxLength: 20 })
const orNull = <T>(some: fc.Arbitrary<T>) => fc.option(some, { nil: null })
const createdAtMs = 1_700_000_000_000
const time = fc
  .oneof(fc.integer({ min: -3, max: 100_000 }), fc.constantFrom(lastMs - createdAtMs, -createdAtMs))
  .map((ms) => createdAtMs + ms)
const count = fc.oneof(fc.nat(300), fc.constantFrom(0, 127, 128, 65_535, 65_536, 2 ** 32, Number.MAX_SAFE_INTEGER))
const cost = count.map((some) => Math.max(1, some))
const optional = <T>(field: string, some: fc.Arbitrary<T>) =>
  fc.option(
    some.map((value) => ({ [field]: value })),
    { nil: {} },
  )
const gate = fc
  .tuple(fc.record({ limit: name, key: text, cost }), optional("most", cost), optional("reserved", cost), optional("delayMs", cost))
  .map(([always, ...sometimes]) => Object.assign({}, always, ...sometimes))

let made = 0
const record: fc.Arbitrary<TaskRecord> = fc.record(
  {
    id: name.map((some) => `${++made} ${some}`),
    seq: fc.integer({ min: 1, max: 2 ** 40 }),
    type: name,
    status: fc.constantFrom(...statuses),
    priority: fc.integer({ min: -32_768, max: 32_767 }),
    input: text,
    output: orNull(text),
    progress: orNull(text),
    tags: fc.array(text, { maxLength: 4 }),
    jobId: orNull(name),
    idempotencyKey: orNull(name),
    inputDigest: orNull(name),
    flow: name,
    gates: orNull(fc.array(gate, { maxLength: 3 })),
    forecastAtMs: orNull(time),
    createdAtMs: fc.constant(createdAtMs),
    updatedAtMs: time,
    availableAtMs: time,
    readyAtMs: fc.oneof(time, fc.constant(lastMs + 1)),
    expiresAtMs: orNull(time),
    expiredAtMs: orNull(time),
    startedAtMs: orNull(time),
    completedAtMs: orNull(time),
    cancelRequestedAtMs: orNull(time),
    retryCount: count,
    maxRetries: count,
    rescheduleCount: count,
    maxReschedules: orNull(count),
    throttleCount: count,
    maxThrottles: orNull(count),
    crashCount: count,
    attempt: count,
    fence: count,
    version: count,
    workerId: orNull(name),
    claimNumber: orNull(count),
    leaseExpiresAtMs: orNull(time),
    timeoutMs: count,
    lastError: orNull(text),
    lastOutcome: orNull(fc.constantFrom(...storedOutcomes)),
  },
  { noNullPrototype: true },
)

const entry = fc
  .tuple(
    fc.record({ atMs: time, status: fc.constantFrom(...storedStatuses), event: fc.constantFrom(...storedEvents.slice(1)) }),
    ...["delayMs", "count", "expiresAtMs"].map((field) => optional(field, count)),
    ...["workerId", "reason", "error"].map((field) => optional(field, text)),
  )
  .map(([always, ...sometimes]): HistoryEntry => Object.assign({}, always, ...sometimes))
const first = fc
  .tuple(optional("delayMs", cost), optional("expiresAtMs", time))
  .map((notes): HistoryEntry => Object.assign({ atMs: createdAtMs, status: "pending" as const, event: "created" as const }, ...notes))
const history = fc.tuple(first, fc.array(entry, { maxLength: 5 })).map(([one, more]) => [one, ...more])

let client: Client
let sha = ""
const base = `test-rows:{${randomBytes(6).toString("hex")}}:`

before(async () => {
  const location = parseLocation(await sharedRedis())
  const [host] = location.hosts
  assert.ok(host)
  client = await (await loadDriver(location))(host, () => {})
  sha = String(await client.send(["SCRIPT", "LOAD", readFileSync(new URL("rows.lua", import.meta.url), "utf8")]))
})
after(async () => {
  const keys = (await client.send(["KEYS", `${base.replaceAll("{", "?").replaceAll("}", "?")}*`])) as Buffer[]
  if (keys.length > 0) await client.send(["UNLINK", ...keys])
  await client.close()
})

/** Lua has no null: what is absent is one. */
function withNulls(told: Buffer | undefined, like: TaskRecord): unknown {
  const found = JSON.parse(String(told))
  for (const field of Object.keys(like)) found[field] ??= null
  return found
}

it("a task is the same after it was packed and unpacked, on either side", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.tuple(record, history), { minLength: 1, maxLength: 8, selector: ([{ seq }]) => seq }),
      async (given) => {
        const texts = given.map(([task, entries]) => JSON.stringify({ task, entries }, (_, value) => value ?? undefined))
        const reply = (await client.send(["EVALSHA", sha, "1", base, ...texts])) as Buffer[]
        assert.equal(reply.length, 6 * given.length)
        for (const [i, [task, entries]] of given.entries()) {
          const [id, packed, input, read, copied, past] = reply.slice(6 * i, 6 * i + 6) as [Buffer, Buffer, Buffer, Buffer, Buffer, Buffer]
          assert.deepEqual(toTask(String(id), packed, input), task)
          assert.deepEqual(withNulls(read, task), task)
          assert.deepEqual(withNulls(copied, task), task)
          assert.deepEqual(JSON.parse(String(past)), entries)
        }
      },
    ),
    { numRuns: 200 },
  )
})

it("statuses, outcomes and events keep their numbers", () => {
  assert.deepEqual([...storedStatuses], [...statuses])
  assert.equal(storedOutcomes.indexOf("lost"), 7)
  assert.equal(storedEvents.indexOf("archived"), 13)
})
