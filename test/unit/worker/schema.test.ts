// Schemas: checked where a task is submitted and again where it runs. The raw input is stored, the parsed one is run.

import { deepEqual, equal, match, rejects } from "node:assert/strict"
import { describe, it } from "node:test"
import type { StandardSchemaV1 } from "@standard-schema/spec"
import { z } from "zod"
import { defineTask } from "../../../src/index.ts"
import { testQueue } from "../../../src/testing/test-queue.ts"
import { found } from "./kit.ts"

const order = z.object({ at: z.string().transform((text) => new Date(text)), items: z.array(z.string()).default([]) })

describe("a schema", () => {
  it("gives the handler the parsed value, and the store the raw one", async () => {
    const seen: unknown[] = []
    const work = defineTask("work", {
      input: order,
      run: (input, { task }) => {
        seen.push(input, task.input)
        return input.items.length
      },
    })
    const queue = await testQueue([work])
    const task = await queue.submit(work, { at: "2026-01-28T17:00:00Z" })
    await queue.drain()
    deepEqual(seen, [{ at: new Date("2026-01-28T17:00:00Z"), items: [] }, { at: "2026-01-28T17:00:00Z" }])
    const { input, output } = await found(queue, task)
    deepEqual({ input, output }, { input: { at: "2026-01-28T17:00:00Z" }, output: 0 })
  })

  it("refuses an input at submission, says where it is wrong, and nothing is stored", async () => {
    const work = defineTask("work", { input: order, run: () => "done" })
    const queue = await testQueue([work])
    await rejects(queue.submit(work, { at: 5 } as never), (error: Error & { code?: string }) => {
      equal(error.code, "invalid_input")
      match(error.message, /^input of work: at: .*expected string/)
      return true
    })
    await rejects(queue.submitMany(work, [{ at: "2026-01-28T17:00:00Z" }, { at: 5 } as never]), { code: "invalid_input" })
    equal((await queue.counts()).pending, 0)
  })

  it("fails a task that was submitted without the code, at once and for good", async () => {
    let runs = 0
    const work = defineTask("work", {
      input: order,
      run: () => {
        runs++
      },
    })
    const queue = await testQueue([work])
    const task = await queue.submit("work", { at: 5 })
    await queue.drain()
    const { status, retryCount, lastError } = await found(queue, task)
    deepEqual({ status, retryCount, runs }, { status: "failed", retryCount: 0, runs: 0 })
    match(lastError ?? "", /^input of work: at: /)
  })

  it("may be asynchronous, and its own failure is retried like a handler's", async () => {
    let isAway = false
    const known: StandardSchemaV1<string> = {
      "~standard": {
        version: 1,
        vendor: "test",
        validate: async (value) => {
          if (isAway) throw new Error("the database is away")
          return { value: String(value) }
        },
      },
    }
    const work = defineTask("work", { input: known, run: (input) => input })
    const queue = await testQueue([work])
    const task = await queue.submit(work, "text")
    isAway = true
    await queue.world.settle()
    equal((await found(queue, task)).lastError, "the database is away")
    isAway = false
    await queue.advance("5s")
    equal((await found(queue, task)).status, "completed")
  })
})
