// A worker's options: read once, refused with what was expected.

import { deepEqual, equal, match, rejects, throws } from "node:assert/strict"
import { describe, it } from "node:test"
import { defineTask } from "../../../src/index.ts"
import { testQueue } from "../../../src/testing/test-queue.ts"
import { systemWorld } from "../../../src/world/index.ts"
import { never } from "./kit.ts"

const work = defineTask("work", { run: never })

describe("worker options", async () => {
  const queue = await testQueue([work])
  const refused: readonly (readonly [object, string])[] = [
    [{ concurency: 5 }, 'worker: unknown option "concurency"; did you mean "concurrency"?'],
    [{ concurrency: 0 }, "worker: concurrency: expected a whole number from 1 to 100000, got 0"],
    [{ concurrency: "5" }, 'worker: concurrency: expected a whole number from 1 to 100000, got "5"'],
    [
      { lease: 30 },
      'worker: lease: expected a duration such as "500ms", "30s", "5m", "1h" or "7d", got 30 (a number has no unit: write "30s" for seconds)',
    ],
    [{ lease: "50ms" }, "worker: lease: expected at least 100ms, got 50ms"],
    [{ lease: "10s", heartbeat: "6s" }, "worker: heartbeat: expected from 10ms to half the lease (5000ms), got 6000ms"],
    [{ hello: "5ms" }, "worker: hello: expected at least 1000ms, got 5ms"],
    [{ sweep: "1ms" }, "worker: sweep: expected at least 10ms, got 1ms"],
    [{ backoff: { base: "1s", factr: 2 } }, 'worker: backoff: unknown option "factr"; did you mean "factor"?'],
    [
      { id: "no/slash" },
      'worker: id: expected 1 to 128 letters, digits, "_", "-", "." or ":", not starting with "." or ":", got "no/slash"',
    ],
  ]
  for (const [options, message] of refused) {
    it(`refuses ${JSON.stringify(options)}`, async () => {
      throws(() => queue.worker([work], options as never), { message })
      await rejects(queue.worker([work]).run(options as never), { message })
    })
  }

  it("refuses a signal that is none", async () => {
    await rejects(queue.worker([work]).run({ signal: "SIGTERM" as never }), {
      code: "invalid_option",
      message: 'run: signal: expected an AbortSignal, got "SIGTERM"',
    })
  })

  it("refuses what are no tasks, and options that are none", async () => {
    const given: readonly (readonly [unknown, string])[] = [
      [undefined, "worker: expected an array of what defineTask gives, got undefined"],
      [work, "worker: expected an array of what defineTask gives, got a task; put it into an array"],
      [["work"], 'worker: tasks[0]: expected what defineTask gives, got "work"'],
      [[work, null], "worker: tasks[1]: expected what defineTask gives, got null"],
      [[{ type: "work" }], "worker: tasks[0]: expected what defineTask gives, got an object"],
    ]
    for (const [tasks, message] of given) throws(() => queue.worker(tasks as never), { code: "invalid_option", message })
    for (const options of [null, 5])
      await rejects(queue.worker([work]).run(options as never), { message: `run: expected an object of options, got ${options}` })
  })

  it("refuses no tasks, two of one type, and an isolated one without its module", () => {
    throws(() => queue.worker([]), { message: "worker: expected at least one task definition, got none" })
    throws(() => queue.worker([work, defineTask("work", { run: never })]), {
      message: "worker: expected one definition for each task type, got two for work",
    })
    const isolated = defineTask("isolated", { isolate: "thread", run: never })
    throws(() => queue.worker([isolated]), { message: /^task isolated: expected module: import\.meta\.url beside isolate: "thread"/ })
  })

  it("of run() win over those of queue.worker()", async () => {
    const started: string[] = []
    const worker = queue.worker([work], { id: "first", concurrency: 1 })
    worker.on("worker.started", ({ workerId }) => started.push(workerId))
    equal(worker.id, "first")
    await worker.run({ id: "second", signal: AbortSignal.abort() })
    deepEqual(started, ["second"])
    equal(worker.id, "second")
  })

  it("make an id from host and process where none is given", () => {
    const [one, two] = [queue.worker([work]).id, queue.worker([work]).id]
    match(one, new RegExp(`-${process.pid}-[0-9a-f]{6}$`))
    equal(one === two, false)
  })
})

describe("the real world's timer", () => {
  it("holds a delay of 30 days, which one setTimeout would fire at once", async () => {
    let fired = 0
    const timer = systemWorld.timer(30 * 86_400_000, () => {
      fired++
    })
    for (let i = 0; i < 20; i++) await new Promise<void>((resolve) => systemWorld.turn(resolve))
    await new Promise<void>((resolve) => void systemWorld.timer(5, resolve))
    timer.cancel()
    equal(fired, 0)
  })

  it("fires once when its time has come, and not at all when cancelled", async () => {
    let fired = 0
    const count = () => {
      fired++
    }
    systemWorld.timer(1, count).cancel()
    systemWorld.timer(1, count)
    await new Promise<void>((resolve) => void systemWorld.timer(10, resolve))
    equal(fired, 1)
  })
})
