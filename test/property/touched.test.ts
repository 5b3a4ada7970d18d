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
import { everyStore, withOwn } from "./with-store.ts"

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

type Blocked = typeof blocked extends fc.Arbitrary<infer T> ? T : never
type Open = typeof open extends fc.Arbitrary<infer T> ? T : never

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

/** On memory until it hurts. */
const usual: Readonly<Record<string, number>> = { memory: 150 }

for (const [name, openBacking] of Object.entries(everyStore)) {
  const numRuns = runs(usual[name] ?? 10)
  describe(`a claim on ${name}`, () => {
    it("touches little more than it returns, however many lanes wait", async () => {
      await fc.assert(
        fc.asyncProperty(blocked, open, fc.constantFrom(1, 3, 100), (waiting, fresh, max) =>
          withOwn(new VirtualWorld(), openBacking, (store) => claimBeside(store, waiting, fresh, max)),
        ),
        { numRuns },
      )
    })

    it("sends each lane away once", async () => {
      await fc.assert(
        fc.asyncProperty(blocked, (waiting) => withOwn(new VirtualWorld(), openBacking, (store) => sendAway(store, waiting))),
        { numRuns },
      )
    })
  })
}

const flowOf =
  ({ flows }: Blocked) =>
  (i: number) =>
    flows === "one" ? "red" : `f${i}`

/** Behind each gate a lane of its own: lanes that share a gate are kept apart by another one that is open. */
const gatesOf =
  (limit: string, { gates }: Blocked) =>
  (i: number): readonly (readonly [string, string])[] =>
    gates === "own"
      ? [[limit, `k${i}`]]
      : [
          [limit, ""],
          ["wide", `k${i}`],
        ]

async function claimBeside(store: Store, waiting: Blocked, fresh: Open, max: number): Promise<void> {
  await store.hello(hello)
  await store.changeLimit({ limit: "paused", key: "", change: { kind: "pause" }, by: "somebody" })
  const queue = new Counted(store)
  for (let times = 0; times < 2; times++) await queue.submit(waiting.lanes, flowOf(waiting), gatesOf(waiting.limit, waiting))
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
}

async function sendAway(store: Store, waiting: Blocked): Promise<void> {
  await store.hello(hello)
  const queue = new Counted(store)
  for (let times = 0; times < 2; times++) await queue.submit(waiting.lanes, flowOf(waiting), gatesOf("full", waiting))
  let [touched, claimed] = [0, 0]
  for (let isMore = true; isMore; ) {
    const answer = await queue.claim(100)
    touched += answer.touched
    claimed += answer.claimed.length
    isMore = answer.more
    assert.ok(touched <= base + each * (claimed + waiting.lanes), `${touched} touched for ${claimed} and ${waiting.lanes} lanes`)
  }
  assert.equal(claimed, waiting.gates === "own" ? waiting.lanes : Math.min(1, waiting.lanes))
}
