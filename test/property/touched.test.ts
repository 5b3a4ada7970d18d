// The cost of a claim follows what it returns and whom it sends to wait, not who waits already.
//
// Found by looking, and held to here: a claim that finds nobody new touches at most 8 records, and each task that it takes and each lane
// that it parks costs it at most 8 more.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import fc from "fast-check"
import type { Store } from "../../src/store/contract.ts"
import { VirtualWorld } from "../../src/testing/virtual-world.ts"
import { runs } from "./runs.ts"
import { memory } from "./with-store.ts"

const [base, each] = [8, 8]

const blocked = fc.record({
  lanes: fc.integer({ min: 0, max: 250 }),
  /** All at one gate, or each at its own. */
  gates: fc.constantFrom<"one" | "own">("one", "own"),
  /** All in one flow, or each in its own. */
  flows: fc.constantFrom<"one" | "own">("one", "own"),
  /** Closed, or full until a time that comes. */
  limit: fc.constantFrom("paused", "full"),
})
const open = fc.record({
  lanes: fc.nat(12),
  tasks: fc.integer({ min: 1, max: 4 }),
  flows: fc.constantFrom<"one" | "own">("one", "own"),
})

const rate = { limit: 1, perUs: 3_600_000_000, provider: "sliding" as const, burst: 1, phaseUs: 0, guardUs: 0, slackUs: 0 }
const hello = {
  workerId: null,
  types: [{ type: "mail", limits: ["paused", "full", "wide"] }],
  limits: [
    { name: "paused", policy: { rates: [], concurrency: null } },
    { name: "full", policy: { rates: [rate], concurrency: null } },
    { name: "wide", policy: { rates: [], concurrency: null } },
  ],
}
const plain = {
  type: "mail",
  input: "1",
  priority: 0,
  tags: [],
  jobId: null,
  schedule: null,
  expiry: null,
  maxRetries: 3,
  maxReschedules: null,
  maxThrottles: null,
  timeoutMs: 60_000,
  idempotencyKey: null,
  inputDigest: null,
}

class Counted {
  private readonly store: Store
  private ids = 0
  private number = 0

  constructor(store: Store) {
    this.store = store
  }

  async submit(count: number, flowOf: (i: number) => string, gatesOf: (i: number) => readonly (readonly [limit: string, key: string])[]) {
    const tasks = Array.from({ length: count }, (_, i) => ({
      ...plain,
      id: `task-${++this.ids}`,
      flow: flowOf(i),
      gates: gatesOf(i).map(([limit, key]) => ({ limit, key, cost: 1 })),
    }))
    if (count > 0) assert.equal((await this.store.submit({ tasks })).kind, "ok")
  }

  async claim(max: number) {
    const claim = { number: ++this.number, types: [{ type: "mail", room: 1_000 }], max }
    return this.store.exchange({ workerId: "w", settles: [], heartbeats: [], leaseMs: 60_000, claim })
  }

  /** Until there is nothing more to claim and nobody to send away. */
  async exhaust(): Promise<void> {
    for (let times = 0; times < 100; times++) if (!(await this.claim(100)).more) return
    assert.fail("there is always more to claim")
  }
}

describe("a claim", () => {
  it("touches little more than it returns, however many lanes wait", async () => {
    await fc.assert(
      fc.asyncProperty(blocked, open, fc.constantFrom(1, 3, 100), async (waiting, fresh, max) => {
        const store = await (await memory()).open({ world: new VirtualWorld() })
        await store.hello(hello)
        await store.changeLimit({ limit: "paused", key: "", change: { kind: "pause" }, by: "somebody" })
        const queue = new Counted(store)
        const flow = (i: number) => (waiting.flows === "one" ? "red" : `f${i}`)
        // Behind each gate a lane of its own: lanes that share a gate are kept apart by another one that is open.
        const gates = (i: number) =>
          (waiting.gates === "own"
            ? [[waiting.limit, `k${i}`]]
            : [
                [waiting.limit, ""],
                ["wide", `k${i}`],
              ]) as never
        await queue.submit(waiting.lanes, flow, gates)
        await queue.submit(waiting.lanes, flow, gates)
        await queue.exhaust()
        for (let n = 0; n < fresh.tasks; n++) {
          await queue.submit(
            fresh.lanes,
            (i) => (fresh.flows === "one" ? "blue" : `g${i}`),
            (i) => [["wide", `open${i}`]],
          )
        }
        let left = fresh.lanes * fresh.tasks
        while (left > 0) {
          const { claimed, touched } = await queue.claim(max)
          assert.ok(claimed.length > 0)
          assert.ok(touched <= base + each * claimed.length, `${touched} touched for ${claimed.length} claimed`)
          left -= claimed.length
        }
        const { touched } = await queue.claim(max)
        assert.ok(touched <= base, `${touched} touched for nothing`)
      }),
      { numRuns: runs(150) },
    )
  })

  it("sends each lane away once", async () => {
    await fc.assert(
      fc.asyncProperty(blocked, async (waiting) => {
        const store = await (await memory()).open({ world: new VirtualWorld() })
        await store.hello(hello)
        const queue = new Counted(store)
        const flow = (i: number) => (waiting.flows === "one" ? "red" : `f${i}`)
        const gates = (i: number) =>
          (waiting.gates === "own"
            ? [["full", `k${i}`]]
            : [
                ["full", ""],
                ["wide", `k${i}`],
              ]) as never
        await queue.submit(waiting.lanes, flow, gates)
        await queue.submit(waiting.lanes, flow, gates)
        let [touched, claimed] = [0, 0]
        for (let isMore = true; isMore; ) {
          const answer = await queue.claim(100)
          touched += answer.touched
          claimed += answer.claimed.length
          isMore = answer.more
          assert.ok(touched <= base + each * (claimed + waiting.lanes), `${touched} touched for ${claimed} and ${waiting.lanes} lanes`)
        }
        assert.equal(claimed, waiting.gates === "own" ? waiting.lanes : Math.min(1, waiting.lanes))
      }),
      { numRuns: runs(150) },
    )
  })
})
