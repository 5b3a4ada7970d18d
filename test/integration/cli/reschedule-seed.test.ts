// Every command line of the first seed (rate limiting via durable sleep), and what the seed shows for it.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { defineTask, RescheduleError } from "../../../src/index.ts"
import type { VirtualWorld } from "../../../src/testing/virtual-world.ts"
import { CommandLine } from "./command-line.ts"

/** A task that is rescheduled by these delays, one after the other, then completes; and who claims it when. */
async function reschedule(line: CommandLine, id: string, delays: readonly number[], workers: readonly string[]): Promise<void> {
  const world = line.world as VirtualWorld
  const queue = await line.queue()
  const callApi = defineTask("call_api", {
    run: (_input: unknown, ctx) => {
      const delaySeconds = delays[ctx.task.rescheduleCount]
      if (delaySeconds !== undefined) throw new RescheduleError({ delaySeconds })
    },
  })
  for (const workerId of workers) {
    const { version = 0 } = (await queue.get(id)) ?? {}
    const worker = queue.worker([callApi], { id: workerId })
    const running = worker.run()
    await world.advanceUntil(async () => ((await queue.get(id))?.version ?? 0) >= version + 2)
    worker.stop()
    await world.settle()
    await running
  }
}

describe("the command lines of the reschedule seed", () => {
  it("submit -t call_api -i … --max-reschedules 100 prints the id alone", async () => {
    const line = new CommandLine()
    const said = await line.sluice("submit", "-t", "call_api", "-i", '{"url": "..."}', "--max-reschedules", "100")
    assert.equal(said.exitCode, 0)
    assert.match(said.stdout, /^[0-9a-f-]{36}\n$/)
    assert.equal(said.stderr, "")
    const task = await (await line.queue()).get(said.lines[0] ?? "")
    assert.deepEqual([task?.type, task?.input, task?.maxReschedules], ["call_api", { url: "..." }, 100])
  })

  it("get shows reschedule_count: 5 and max_reschedules: 100", async () => {
    const line = new CommandLine()
    const id = await line.submit("-t", "call_api", "-i", '{"url": "..."}', "--max-reschedules", "100")
    await reschedule(line, id, [1, 1, 1, 1, 1], ["a", "b", "c", "d", "e"])
    const { lines, exitCode } = await line.sluice("get", id)
    assert.equal(exitCode, 0)
    assert.ok(lines.includes("reschedule_count: 5"))
    assert.ok(lines.includes("max_reschedules: 100"))
    assert.ok(lines.includes("retry_count: 0"))
    assert.ok(lines.includes('input: {"url": "..."}'))
  })

  it("get shows every field of the document, each on a line of its own", async () => {
    const line = new CommandLine()
    const id = await line.submit("-t", "call_api", "-i", '"one\\ntwo"')
    const document = (await line.sluice("get", id, "--json")).json() as object
    const names = (await line.sluice("get", id)).lines.map((text) => text.slice(0, text.indexOf(": ")))
    assert.deepEqual(names, Object.keys(document))
  })

  it("history shows the versions of the seed, word for word", async () => {
    const line = new CommandLine()
    const id = await line.submit("-t", "call_api", "-i", '{"url": "..."}')
    await reschedule(line, id, [60, 120], ["worker-1", "worker-2", "worker-1"])
    const { stdout, exitCode } = await line.sluice("history", id)
    assert.equal(exitCode, 0)
    assert.equal(
      stdout,
      `Version 1: pending (created)
Version 2: running (claimed by worker-1)
Version 3: pending (rescheduled, available_at: +60s, count: 1)
Version 4: running (claimed by worker-2)
Version 5: pending (rescheduled, available_at: +120s, count: 2)
Version 6: running (claimed by worker-1)
Version 7: completed
`,
    )
  })

  it("a task over its cap shows the seed's last_error", async () => {
    const line = new CommandLine()
    const id = await line.submit("-t", "call_api", "-i", "{}", "--max-reschedules", "1")
    await reschedule(line, id, [60, 60], ["worker-1", "worker-2"])
    const { lines } = await line.sluice("get", id)
    assert.ok(lines.includes("status: failed"))
    assert.ok(lines.includes("last_error: Max reschedules (1) exceeded"))
    assert.match((await line.sluice("list")).stdout, /failed +2 +now +Max reschedules \(1\) exceeded/)
  })
})
