// Finished tasks as rows: nothing of them is lost, and images of other versions are read.

import { deepEqual, equal, throws } from "node:assert/strict"
import { describe, it } from "node:test"
import { defineTask, PermanentError, RescheduleError } from "../../../src/index.ts"
import { fromText, toText } from "../../../src/stores/memory/image.ts"
import { MemoryRecords } from "../../../src/stores/memory/records.ts"
import { fromRow, rowFields, toRow } from "../../../src/stores/memory/row.ts"
import type { HistoryEntry, TaskRecord } from "../../../src/task/index.ts"
import { testQueue } from "../../../src/testing/test-queue.ts"

/** Another value in each field, so that none can stand for another. */
const task = Object.fromEntries(rowFields.map((field, i) => [field, i])) as unknown as TaskRecord
const finished: TaskRecord = {
  ...{
    ...task,
    id: "a",
    status: "failed",
    type: 'odd "type", [',
    input: '{"a":"\\u0000\ud800 ü"}',
    gates: [{ limit: "l", key: "k", cost: 2 }],
  },
  ...{ tags: ["x"], lastError: null, idempotencyKey: "key" },
}
const history: readonly HistoryEntry[] = [
  { atMs: 1, status: "pending", event: "created" },
  { atMs: 2, status: "running", event: "claimed", workerId: "w" },
  { atMs: 3, status: "failed", event: "failed", error: "no", count: 3 },
]

/** A row of another version, which has its fields in another order, and one that we do not know. */
function foreign(fields: readonly string[]): string {
  const values = JSON.parse(toRow(finished, history)) as unknown[]
  const given = (field: string) => values[(rowFields as readonly string[]).indexOf(field)] ?? null
  return toText(["finished", JSON.stringify([...fields.map(given), values.at(-1)])])
}

function restored(lines: readonly string[]): MemoryRecords {
  const records = new MemoryRecords()
  records.restore(lines.map(fromText))
  return records
}

describe("a row", () => {
  it("holds all of a task and of its history", () => {
    deepEqual(fromRow(toRow(finished, history)), { task: finished, history })
  })

  it("of an image with other fields is the same task", () => {
    const fields = [...rowFields].reverse().concat("unknownYet" as never)
    const records = restored([toText(["fields", fields]), foreign(fields)])
    deepEqual(records.load(["a"]).get("a"), finished)
    deepEqual(records.history("a")?.entries, history)
    deepEqual(
      records.loadByKey(["key"]).map(({ id }) => id),
      ["a"],
    )
    equal(records.counts({ type: finished.type }).failed, 1)
  })

  it("that has too few values is refused as damaged", () => {
    throws(() => restored([toText(["fields", rowFields]), '["finished",["completed","t"]]']), { code: "store_damaged" })
    throws(() => restored([toText(["fields", rowFields]), '["finished",{}]']), { code: "store_damaged" })
  })
})

describe("finished tasks in memory", () => {
  it("are found by status, type and tag among many that are not asked for", async () => {
    const plain = defineTask("plain", { run: () => "done" })
    const other = defineTask("other", {
      run: () => {
        throw new PermanentError("no")
      },
    })
    const queue = await testQueue([plain, other], { worker: { concurrency: 500 } })
    const wanted = await queue.submit(other, null, { tags: ["wanted"] })
    const tagged = await queue.submit(plain, null, { tags: ["wanted"] })
    for (let i = 0; i < 11; i++)
      await queue.submitMany(
        plain,
        Array.from({ length: 1_000 }, () => null),
      )
    await queue.drain()
    const idsOf = async (options: Parameters<typeof queue.list>[0]) => (await queue.list(options)).tasks.map(({ id }) => id)
    deepEqual(await idsOf({ status: "failed" }), [wanted.id])
    deepEqual(await idsOf({ type: "other", limit: 5 }), [wanted.id])
    deepEqual(await idsOf({ tag: "wanted" }), [tagged.id, wanted.id])
    await queue.close()
  })

  it("are what they were when they are retried", async () => {
    let runs = 0
    const work = defineTask("work", {
      run: () => {
        if (++runs === 1) throw new RescheduleError({ delaySeconds: 1 })
        if (runs === 2) throw new PermanentError("no")
        return "done"
      },
    })
    const queue = await testQueue([work])
    const { id } = await queue.submit(work, { a: 1 }, { tags: ["x"] })
    await queue.advance("1s")
    equal((await queue.get(id))?.status, "failed")
    await queue.retry(id)
    await queue.drain()
    const again = await queue.get(id)
    deepEqual([again?.status, again?.input, again?.tags], ["completed", { a: 1 }, ["x"]])
    deepEqual(
      (await queue.history(id)).map(({ event }) => event),
      ["created", "claimed", "rescheduled", "claimed", "failed", "requeued", "claimed", "completed"],
    )
    await queue.close()
  })
})
