// Batches and idempotency keys: all or nothing, and once.

import { deepEqual, equal } from "node:assert/strict"
import { describe, it } from "node:test"
import { openQueue, refuses } from "./kit.ts"

const count = (n: number) => Array.from({ length: n }, (_, i) => i)

describe("submitMany", () => {
  it("stores a batch in its order, and a thousand tasks in one step", async () => {
    const queue = await openQueue()
    const tasks = await queue.submitMany("mail", count(1_000))
    deepEqual(
      tasks.map(({ input }) => input),
      count(1_000),
    )
    const { tasks: newest } = await queue.list({ limit: 3 })
    deepEqual(
      newest.map(({ input }) => input),
      [999, 998, 997],
    )
  })

  it("of nothing is nothing", async () => {
    const queue = await openQueue()
    deepEqual(await queue.submitMany("mail", []), [])
  })

  it("refuses more than one step can take, unless it may do several", async () => {
    const queue = await openQueue()
    const hint = "pass inPieces: true to submit several batches"
    await refuses(queue, () => queue.submitMany("mail", count(1_001)), {
      code: "batch_too_large",
      message: `submitMany: expected at most 1000 tasks and 4.0 MiB in one atomic batch, got 1001 and 2.8 KiB; ${hint}`,
    })
    const large = Array.from({ length: 20 }, () => "x".repeat(250_000))
    await refuses(queue, () => queue.submitMany("mail", large), {
      code: "batch_too_large",
      message: `submitMany: expected at most 1000 tasks and 4.0 MiB in one atomic batch, got 20 and 4.8 MiB; ${hint}`,
    })
    equal((await queue.submitMany("mail", count(2_500), { inPieces: true })).length, 2_500)
    equal((await queue.submitMany("mail", large, { inPieces: true })).length, 20)
    equal((await queue.counts()).pending, 2_520)
  })

  it("stores nothing when one task of the batch is refused by the store", async () => {
    const queue = await openQueue()
    await refuses(queue, () => queue.submitMany("mail", [1, 2], { delay: "1h", each: (input) => (input === 2 ? { ttl: "1m" } : {}) }), {
      code: "schedule_after_expiry",
      message:
        "submit mail: expected a schedule before the expiry, got schedule_at 2026-01-28T13:00:00Z after expires_at 2026-01-28T12:01:00Z",
    })
  })

  it("refuses what is not a batch, and options that are none", async () => {
    const queue = await openQueue()
    await refuses(queue, () => queue.submitMany("mail", "text" as never), {
      code: "invalid_input",
      message: 'submitMany: expected an array of inputs, got "text"',
    })
    await refuses(queue, () => queue.submitMany("mail", [1], null as never), {
      code: "invalid_option",
      message: "submitMany: expected an object of options, got null",
    })
    await refuses(queue, () => queue.submitMany("mail", [1], { each: { ttl: "1h" } } as never), {
      code: "invalid_option",
      message: "submitMany: each: expected a function (input, index) => options, got an object",
    })
    await refuses(queue, () => queue.submitMany("mail", [1], { inPieces: "yes" } as never), {
      code: "invalid_option",
      message: 'submitMany: inPieces: expected true or false, got "yes"',
    })
  })
})

describe("an idempotency key", () => {
  const conflict = (key: string, id: string, type = "mail") => ({
    code: "idempotency_conflict" as const,
    message: `submit mail: expected the same type and input for idempotency key "${key}" as task ${id} (${type}), got others; use another key for another task`,
  })

  it("gives back the first task for the same input, however its properties are ordered", async () => {
    const queue = await openQueue()
    const first = await queue.submit("mail", { a: 1, b: { c: 2, d: 3 } }, { idempotencyKey: "key" })
    const again = await queue.submit("mail", { b: { d: 3, c: 2 }, a: 1 }, { idempotencyKey: "key", ttl: "1h" })
    equal(again.id, first.id)
    equal(again.expiresAt, null)
    equal((await queue.counts()).pending, 1)
  })

  it("of fifty submissions at once makes one task", async () => {
    const queue = await openQueue()
    const tasks = await Promise.all(count(50).map(() => queue.submit("mail", { a: 1 }, { idempotencyKey: "key" })))
    equal(new Set(tasks.map(({ id }) => id)).size, 1)
    equal((await queue.counts()).pending, 1)
  })

  it("refuses another input, and another type", async () => {
    const queue = await openQueue()
    const { id } = await queue.submit("mail", { a: 1 }, { idempotencyKey: "key" })
    await refuses(queue, () => queue.submit("mail", { a: 2 }, { idempotencyKey: "key" }), conflict("key", id))
    const other = await queue.submit("other", null, { idempotencyKey: "theirs" })
    await refuses(queue, () => queue.submit("mail", null, { idempotencyKey: "theirs" }), conflict("theirs", other.id, "other"))
  })

  it("that conflicts stores nothing of its batch", async () => {
    const queue = await openQueue()
    const { id } = await queue.submit("mail", "first", { idempotencyKey: "key-2" })
    await refuses(
      queue,
      () => queue.submitMany("mail", [1, 2, 3], { each: (input) => ({ idempotencyKey: `key-${input}` }) }),
      conflict("key-2", id),
    )
  })

  it("used twice in a batch makes one task", async () => {
    const queue = await openQueue()
    const [one, two] = await queue.submitMany("mail", ["same", "same"], { idempotencyKey: "key" })
    equal(one?.id, two?.id)
    equal((await queue.counts()).pending, 1)
  })
})
