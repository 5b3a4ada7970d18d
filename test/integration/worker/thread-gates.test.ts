// Gates and tasks with isolate: "thread": what the handler says of them goes by message.

import { deepEqual, equal, match } from "node:assert/strict"
import { after, describe, it } from "node:test"
import { connect, type Task, type WorkerEvents } from "../../../src/index.ts"
import { gated } from "./modules/isolated-gates.ts"

const stops: (() => Promise<void>)[] = []
after(() => Promise.all(stops.map((stop) => stop())))

/** Runs one task once, and tells how full its gate is then. */
async function outcome(way: string) {
  const queue = await connect("memory:", { namespace: way.replaceAll(" ", "-") })
  const worker = queue.worker([gated], { grace: "50ms" })
  const settled = new Promise<WorkerEvents["task.settled"]>((resolve) => worker.on("task.settled", resolve))
  const cooling: WorkerEvents["gate.cooling"][] = []
  worker.on("gate.cooling", (event) => cooling.push(event))
  const running = worker.run()
  stops.push(async () => {
    worker.stop()
    worker.stop()
    await running
    await queue.close()
  })
  const { id } = await queue.submit(gated, way)
  await settled
  const [gate] = (await queue.limits.gates("api")).gates
  return { task: (await queue.get(id)) as Task, used: gate?.levels[0]?.used, cooldown: gate?.cooldown, cooling }
}

describe("a task in a thread", () => {
  it("says what it has spent", async () => {
    const { task, used } = await outcome("spent")
    deepEqual([task.status, used], ["completed", 7])
  })

  it("is refused what it cannot have spent, where it is called", async () => {
    const { task, used } = await outcome("spent wrongly")
    deepEqual([task.lastError, used], ["task gated: ctx.spent: expected a whole number, 0 or more, got -7", 1])
  })

  it("awaits permits, several at once", async () => {
    const { task, used } = await outcome("permits")
    deepEqual([task.output, used], ["permitted", 4])
  })

  it("is refused a permit at a limit that it does not pass, and one of an odd cost", async () => {
    match(
      (await outcome("permits wrongly")).task.lastError ?? "",
      /^task gated: ctx\.permit: expected a limit that the task passes, got "other"/,
    )
    equal((await outcome("permits oddly")).task.lastError, "task gated: ctx.permit: cost: expected a whole number, 1 or more, got 0.5")
  })

  it("closes its gate by a RateLimitError", async () => {
    const { task, cooldown, cooling } = await outcome("refused")
    deepEqual([task.status, task.throttleCount, task.lastError], ["pending", 1, "slow down"])
    equal(cooldown?.count, 1)
    const { error, ...told } = cooling[0] ?? { error: "" }
    deepEqual(told, { id: task.id, type: "gated", limit: "api", retryAfterMs: 90_007, status: 503, attempt: 1, backoffMs: 90_007 })
    equal(error, task.lastError)
  })

  it("still ends when it waits for nothing: no listener keeps its thread", async () => {
    equal((await outcome("waits for nothing")).task.lastError, "the task's thread ended with exit code 0 before the task did")
  })
})
