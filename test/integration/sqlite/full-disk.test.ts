// A full disk: the write fails loudly, nothing of it is there, what was there stays, and room makes it work again.

import assert from "node:assert/strict"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, describe, it } from "node:test"
import { connect, type Queue, SluiceError } from "../../../src/index.ts"
import type { SubmitRequest } from "../../../src/store/index.ts"

const folder = mkdtempSync(join(tmpdir(), "sluice-full-"))
after(() => rmSync(folder, { recursive: true, force: true }))
const input = { text: "x".repeat(50_000) }

/** Submits batches until one is refused; answers with how many tasks were acknowledged. */
async function fill(queue: Queue, batch: number): Promise<{ acknowledged: number; error: unknown }> {
  const inputs = Array.from({ length: batch }, () => input)
  for (let acknowledged = 0; acknowledged < 1_000; acknowledged += batch) {
    try {
      await queue.submitMany("noop", inputs)
    } catch (error) {
      return { acknowledged, error }
    }
  }
  throw new Error("the size limit did not hold")
}

/** A submission as the store takes it, so that it is under way at once. */
async function largeTask(queue: Queue): Promise<SubmitRequest> {
  const scratch = await connect("memory:")
  await scratch.submit("noop", input)
  const [task] = (await scratch.list()).tasks
  assert.ok(task)
  const { tasks } = await scratch.store.get({ ids: [task.id] })
  const record = tasks[0]
  assert.ok(record)
  assert.equal(await queue.get(record.id), null)
  return { tasks: [{ ...record, schedule: null, expiry: null }] }
}

describe("a full disk", () => {
  it("refuses a submission whole and keeps what was acknowledged", async () => {
    const url = `sqlite:${join(folder, "a.db")}`
    const small = await connect(`${url}?maxBytes=2MiB`)
    const { acknowledged, error } = await fill(small, 10)
    assert.ok(error instanceof SluiceError)
    assert.equal(error.code, "store_full")
    assert.match(error.message, /nothing was written/)
    assert.ok(acknowledged > 0)
    assert.equal((await small.counts()).pending, acknowledged)
    assert.equal((await small.list({ limit: 1_000 })).tasks.length, acknowledged)
    await small.close()

    const roomy = await connect(url)
    await roomy.submitMany(
      "noop",
      Array.from({ length: 10 }, () => input),
    )
    assert.equal((await roomy.counts()).pending, acknowledged + 10)
    await roomy.close()
  })

  it("fails only the steps that found no room, of those that share a commit", async () => {
    const queue = await connect(`sqlite:${join(folder, "b.db")}?maxBytes=2MiB`)
    const { id } = await queue.submit("small", {})
    await fill(queue, 1)
    // Cancelling needs no new page; the submission before it in the same commit does.
    const [large, cancelled] = await Promise.allSettled([queue.store.submit(await largeTask(queue)), queue.cancel(id)])
    assert.equal(large.status, "rejected")
    assert.equal(cancelled.status, "fulfilled")
    assert.equal((await queue.get(id))?.status, "cancelled")
    // The connection is usable afterwards: the failed transaction is not left open.
    assert.equal(await queue.get("no-such-task"), null)
    await assert.rejects(queue.submit("noop", input), { code: "store_full" })
    await queue.close()
  })
})
