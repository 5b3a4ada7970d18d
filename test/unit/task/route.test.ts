// Routing: somebody who has the code says which gates a task passes, or why it cannot have any.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { failUnrouted, gateName, routeTask } from "../../../src/task/index.ts"
import { pending, startMs } from "./task-kit.ts"

const gates = [{ limit: "vendor", key: "eu", cost: 2 }]

describe("routing", () => {
  it("gives a task its gates, and nothing that its history would show", () => {
    const task = pending({ gates: null })
    assert.deepEqual(routeTask(task, gates, null), { task: { ...task, gates }, entries: [] })
    assert.equal(routeTask(task, gates, "customer-7").task.flow, "customer-7")
  })

  it("fails a task that cannot have any, with what was said", () => {
    const { task, entries } = failUnrouted(pending({ gates: null }), startMs + 5, "no host in the input")
    assert.deepEqual([task.status, task.lastError, task.completedAtMs], ["failed", "no host in the input", startMs + 5])
    assert.deepEqual(
      entries.map(({ event }) => event),
      ["failed"],
    )
  })
})

describe("the name of a gate", () => {
  it("is that of its limit, with its key where it is split by one", () => {
    assert.equal(gateName({ limit: "vendor", key: "" }), "vendor")
    assert.equal(gateName({ limit: "vendor", key: "eu/west" }), "vendor/eu/west")
  })
})
