// queue.simulate: options, and limits as the store has them.

import { deepEqual, equal, ok, rejects, throws } from "node:assert/strict"
import { describe, it } from "node:test"
import { connect, defineLimit, defineTask, type Queue, type SimulateOptions, simulate } from "../../../src/index.ts"
import { testQueue, VirtualWorld } from "../../../src/testing/index.ts"
import { sleep } from "../../../src/world/index.ts"

const api = defineLimit("api", { rate: "10/10s", provider: "sliding" })
const slots = defineLimit("slots", { concurrency: 2 })

let made = 0

/** On which a process with these limits has said hello. */
async function knowing(...limits: readonly (typeof api)[]): Promise<{ readonly queue: Queue; readonly world: VirtualWorld }> {
  const world = new VirtualWorld()
  const queue = await connect(`memory:simulate-${made++}`, { world, namespace: "default" })
  await queue.store.hello({ workerId: null, types: [], limits: limits.map(({ name, policy }) => ({ name, policy })) })
  return { queue, world }
}

describe("the options of a simulation", () => {
  const limits = [api]
  const wrong: readonly (readonly [options: unknown, message: RegExp])[] = [
    [{}, /^simulate: tasks: expected how many tasks there are, such as 100000, got none$/],
    [{ tasks: 0 }, /^simulate: tasks: expected a whole number from 1 to 1000000, got 0$/],
    [{ task: 5 }, /unknown option "task"; did you mean "tasks"\?$/],
    [{ tasks: 1, limits: api }, /^simulate: limits: expected an array of limits, got a function$/],
    [{ tasks: 1, limits: [5] }, /^simulate: limits\[0\]: expected an object of options, got 5$/],
    [
      { tasks: 1, limits: [{ keys: 5 }] },
      /^simulate: limits\[0\]: limit: expected what defineLimit gives, or the name of a limit, got none$/,
    ],
    [
      { tasks: 1, limits: ["api"] },
      /^simulate: expected what defineLimit gives, got "api"; queue\.simulate takes the names of limits as well$/,
    ],
    [
      { tasks: 1, limits: [api, { limit: api }] },
      /^simulate: limits: expected each limit once, got "api" twice; give it several keys instead$/,
    ],
    [{ tasks: 1, limits: [{ limit: api, keys: 0 }] }, /keys: expected a whole number from 1 to 100000, got 0$/],
    [{ tasks: 1, limits: [{ limit: api, keys: [] }] }, /keys: expected 1 to 100000 keys, got 0$/],
    [{ tasks: 1, limits: [{ limit: api, keys: [1, -1] }] }, /keys: 1: expected how often it is met .*, got -1$/],
    [{ tasks: 1, limits: [{ limit: api, keys: "x" }] }, /keys: expected a number of keys, or how often each is met, .*, got "x"$/],
    [{ tasks: 1, limits: [{ limit: api, keys: { "\n": 1 } }] }, /keys: key: expected 1 to 512 characters/],
    [
      { tasks: 1, limits: [{ limit: api, cost: 11 }] },
      /^simulate: expected a cost of at most 10, which is all that gate api ever lets pass at once, got 11/,
    ],
    [
      { tasks: 1, limits: [slots] },
      /^simulate: duration: expected how long a task runs, .*, because limit "slots" bounds how many run at once, got none$/,
    ],
    [{ tasks: 1, concurrency: 3 }, /^simulate: duration: .* because concurrency bounds how many run at once, got none$/],
    [{ tasks: 1, limits, duration: "soon" }, /^simulate: duration: expected a duration/],
    [{ tasks: 1, limits, duration: "400d" }, /^simulate: duration: expected at most 365d, got "400d"$/],
    [{ tasks: 1, limits, duration: { p50: "1s" } }, /^simulate: duration: expected both p50 and p99, such as "1s" and "8s"/],
    [{ tasks: 1, limits, duration: { p50: 0, p99: "1s" } }, /^simulate: duration: expected both p50 and p99, .* and more than 0$/],
    [{ tasks: 1, limits, duration: { p50: "2s", p99: "1s" } }, /^simulate: duration: expected a p99 of the p50 \(2s\) or more, got 1s$/],
    [{ tasks: 1, limits, arrivals: "many" }, /^simulate: arrivals: expected a rate/],
    [{ tasks: 1, limits, seed: -1 }, /^simulate: seed: expected a whole number from 0 to 4294967295, got -1$/],
    [
      { tasks: 1, limits: [defineLimit("learning", { adaptive: true })] },
      /^simulate: limit "learning": expected a rate, because it learns its pace from answers, of which a simulation has none/,
    ],
  ]
  for (const [options, message] of wrong) {
    it(`refuses with ${message.source.slice(0, 90)}`, () => throws(() => simulate(options as SimulateOptions), { message }))
  }

  it("tells a queue's options apart by name", async () => {
    const { queue } = await knowing()
    await rejects(queue.simulate({} as SimulateOptions), { message: /^queue\.simulate: tasks: expected/ })
    await rejects(queue.simulate({ tasks: 1, limits: ["nobody"] }), {
      code: "unknown_limit",
      message: 'queue.simulate: expected a limit that some code has declared, got "nobody"; none is known yet',
    })
  })
})

describe("limits as the code has them", () => {
  it("are the same with a queue and without, and leave nothing behind", async () => {
    const { queue } = await knowing()
    const options = { tasks: 50, limits: [{ limit: api, keys: 3 }, slots], duration: { p50: "1s", p99: "4s" } }
    deepEqual(await queue.simulate(options), simulate(options))
    deepEqual(await queue.limits.list(), [])
  })

  it("keep the distance that a learning limit keeps in any case", () => {
    const polite = defineLimit("polite", { adaptive: { preset: "linear", minDelay: "2s" } })
    equal(simulate({ tasks: 10, limits: [polite] }).endMs, 18_000)
    deepEqual(simulate({ tasks: 10, limits: [polite] }).binds, [{ limit: "polite", by: "pace", share: 1 }])
  })

  it("believe the rate of one that learns", () => {
    const learning = defineLimit("learning", { rate: "10/10s", provider: "sliding", adaptive: true })
    equal(simulate({ tasks: 100, limits: [learning] }).endMs, 90_000)
  })
})

describe("limits as the store has them", () => {
  it("hold with what people have set, and with what was charged", async () => {
    const { queue } = await knowing(api)
    equal((await queue.simulate({ tasks: 20, limits: ["api"] })).endMs, 10_000)
    await queue.limits.set("api", { rate: "5/10s" })
    equal((await queue.simulate({ tasks: 20, limits: ["api"] })).endMs, 30_000)
    await queue.limits.set("api", { rate: "20/10s" }, { key: "wide" })
    equal((await queue.simulate({ tasks: 20, limits: [{ limit: "api", keys: { wide: 1 } }] })).endMs, 0)
  })

  it("fall back to the code when an override ends", async () => {
    const { queue, world } = await knowing(api)
    await queue.limits.set("api", { rate: "1/10s" }, { until: new Date(world.wallMs() + 35_000) })
    // One at 0, 10, 20 and 30 s; ten of the code's at once from 35 s on, less the four that count.
    const { endMs, binds } = await queue.simulate({ tasks: 10, limits: ["api"] })
    deepEqual([endMs, binds[0]?.limit], [35_000, "api"])
  })

  it("never end where they are paused, and end later where they are closed", async () => {
    const { queue, world } = await knowing(api)
    await queue.limits.close("api", { until: new Date(world.wallMs() + 60_000) })
    const closed = await queue.simulate({ tasks: 10, limits: ["api"] })
    deepEqual([closed.endMs, closed.binds], [60_000, [{ limit: "api", by: "closed", share: 1 }]])
    await queue.limits.pause("api")
    const paused = await queue.simulate({ tasks: 10, limits: ["api"] })
    deepEqual([paused.endMs, paused.perSecond, paused.binds], [null, null, [{ limit: "api", by: "closed", share: 1 }]])
    deepEqual(
      paused.oneMore.map(({ endMs, earlierMs }) => [endMs, earlierMs]),
      [[null, null]],
    )
  })

  it("know nothing of keys that nobody has named but what holds for all", async () => {
    const { queue } = await knowing(api)
    await queue.limits.set("api", { rate: "5/10s" })
    const { endMs } = await queue.simulate({ tasks: 20, limits: [{ limit: "api", keys: [1] }] })
    equal(endMs, 30_000)
  })

  it("let those pass first that wait already, and come to the same end as the real run", async () => {
    const world = new VirtualWorld()
    let endedMs = 0
    const both = defineLimit("both", { rate: "10/10s", provider: "sliding", concurrency: 3 })
    const call = defineTask("call", {
      limits: () => [both("host-1")],
      run: async () => {
        await sleep(world, 2_000)
        endedMs = world.monotonicMs()
      },
    })
    const queue = await testQueue([call], { world })
    await queue.submitMany(call, Array(40).fill({}))
    await queue.advance("9s")
    const { completed, running, pending } = await queue.counts()
    ok(completed > 0 && running === 0 && pending > 0, "between two windows: some are done, none runs, some wait")
    const told = await queue.simulate({ tasks: 25, limits: [{ limit: "both", keys: { "host-1": 1 } }], duration: "2s" })
    equal(told.ahead, pending)
    const nowMs = world.monotonicMs()
    await queue.submitMany(call, Array(25).fill({}))
    await world.advanceUntil(async () => (await queue.counts()).completed === 65)
    equal(told.endMs, endedMs - nowMs)
    await queue.close()
  })

  it("count one unit more of what holds later as well", async () => {
    const { queue, world } = await knowing(api)
    await queue.limits.set("api", { rate: "1/10s" }, { until: new Date(world.wallMs() + 1_000) })
    // Ten in each ten seconds, or eleven: one, and nine a second later; or two, and nine.
    const { endMs, oneMore } = await queue.simulate({ tasks: 111, limits: ["api"] })
    deepEqual([endMs, oneMore[0]?.endMs], [110_000, 100_000])
  })

  it("are the strictest of what live processes declare, also after an override", async () => {
    const { queue, world } = await knowing(defineLimit("api", { rate: "5/10s", provider: "sliding" }), api)
    await queue.limits.set("api", { rate: "1/10s" }, { until: new Date(world.wallMs() + 1_000) })
    equal((await queue.simulate({ tasks: 6, limits: ["api"] })).endMs, 10_000)
  })

  it("let nobody overtake a costly task that waits already, and charge that what it costs", async () => {
    const { queue } = await knowing(api)
    const costly = defineTask("costly", { limits: () => [api("host-1", { cost: 7 })], run: () => null })
    await queue.submitMany(costly, [{}, {}, {}])
    // 7 now, 7 after 10 s, 7 after 20 s and three of the others beside it, two after 30 s.
    const told = await queue.simulate({ tasks: 5, limits: [{ limit: "api", keys: { "host-1": 1 } }] })
    deepEqual([told.ahead, told.endMs, told.wait.p50Ms], [3, 30_000, 20_000])
  })

  it("are charged where they were named, and fresh where they were not", async () => {
    const { world, queue } = await knowing()
    const call = defineTask("call", { limits: () => [api()], run: () => null })
    await queue.submitMany(call, Array(10).fill({}))
    const worker = queue.worker([call])
    const running = worker.run()
    await world.advanceUntil(async () => (await queue.counts()).completed === 10)
    worker.stop()
    await world.settle()
    await running
    equal((await queue.simulate({ tasks: 10, limits: ["api"] })).endMs, 10_000)
    equal((await queue.simulate({ tasks: 10, limits: [{ limit: "api", keys: [1] }] })).endMs, 0)
  })

  it("hold slots of tasks that run for as long as tasks do, and not until their leases end", async () => {
    const world = new VirtualWorld()
    const busy = defineTask("busy", { limits: () => [slots()], run: () => sleep(world, 3_600_000), timeout: "2h" })
    const queue = await testQueue([busy], { world })
    await queue.submitMany(busy, [{}, {}])
    await queue.advance("5s")
    equal((await queue.counts()).running, 2)
    const { endMs, ahead } = await queue.simulate({ tasks: 2, limits: ["slots"], duration: "1s" })
    deepEqual([endMs, ahead], [2_000, 0])
    await queue.close()
  })
})
