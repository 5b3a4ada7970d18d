// Flows that all wait at one gate are served in turn, whatever its limit is and however workers come by.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import fc from "fast-check"
import type { Store } from "../../src/store/contract.ts"
import { VirtualWorld } from "../../src/testing/virtual-world.ts"
import { types } from "./commands.ts"
import { declared, helloOf } from "./gate-commands.ts"
import { runs } from "./runs.ts"
import { everyStore, withOwn } from "./with-store.ts"

const flows = ["red", "green", "blue", "white"] as const

const work = (type: fc.Arbitrary<string>, cost: fc.Arbitrary<number>) =>
  fc.array(
    fc.record({
      type,
      flow: fc.constantFrom(...flows),
      cost,
      /** Another gate on the way, which lets everybody pass: lanes of one flow that meet at the shared gate. */
      detour: fc.constantFrom(null, null, "a", "b"),
    }),
    { minLength: 8, maxLength: 40, size: "max" },
  )
/** Whoever costs more than is left keeps back those of his own type, not of another: only what costs the same is shared out evenly. */
const tasks = fc.oneof(work(fc.constantFrom(...types), fc.constant(1)), work(fc.constant("mail"), fc.constantFrom(1, 1, 1, 2)))
const visit = fc.record({
  waitMs: fc.constantFrom(0, 0, 100, 900, 3_000),
  max: fc.constantFrom(1, 1, 2, 5),
  /** How many of those who run end before. */
  ends: fc.nat(3),
  worker: fc.constantFrom("w1", "w2"),
})
const visits = fc.array(visit, { minLength: 10, maxLength: 60, size: "max" })
const limit = fc.constantFrom("api" as const, "cpu" as const, "mix" as const)
const wide = { name: "wide", policy: { rates: [], concurrency: null } }
const done = { outcome: { kind: "completed" as const, output: null }, spent: [], sentAgoMs: null, respondedAgoMs: null, rttMs: null }

type Visit = typeof visit extends fc.Arbitrary<infer V> ? V : never

interface Waiting {
  readonly type: string
  readonly flow: string
}

const flowOf = ({ type, flow }: Waiting) => `${type}/${flow}`

/** On memory until it hurts. */
const usual: Readonly<Record<string, number>> = { memory: 3_000, s3: 10 }

describe("flows at one gate", () => {
  for (const [name, openBacking] of Object.entries(everyStore)) {
    it(`are served in turn on ${name}: none that still has work is more than one task behind another`, async () => {
      await fc.assert(
        fc.asyncProperty(declared, limit, tasks, visits, async (policies, shared, drawn, planned) => {
          const world = new VirtualWorld()
          await withOwn(world, openBacking, async (store) => {
            const { types: known, limits } = helloOf(policies)
            await store.hello({ workerId: null, types: known, limits: [...limits, wide] } as never)
            const answer = await store.submit({ tasks: drawn.map((task, i) => toTask(task, i, shared, policies)) })
            assert.equal(answer.kind, "ok")
            await serve(world, store, drawn, planned)
          })
        }),
        { numRuns: runs(usual[name] ?? 40), unbiased: true },
      )
    })
  }
})

async function serve(world: VirtualWorld, store: Store, drawn: readonly Waiting[], planned: readonly Visit[]): Promise<void> {
  const left = new Map<string, number>()
  for (const task of drawn) left.set(flowOf(task), (left.get(flowOf(task)) ?? 0) + 1)
  const served = new Map([...left.keys()].map((flow) => [flow, 0]))
  const running: { id: string; fence: number }[] = []
  for (const [i, { waitMs, max, ends, worker }] of planned.entries()) {
    world.stepClock(waitMs)
    const claim = { number: i + 1, types: types.map((type) => ({ type, room: max })), max }
    const settles = running.splice(0, ends).map((lease) => ({ ...lease, ...done }))
    const { claimed } = await store.exchange({ workerId: worker, settles, heartbeats: [], leaseMs: 60_000, claim })
    for (const task of claimed) {
      running.push({ id: task.id, fence: task.fence })
      served.set(flowOf(task), (served.get(flowOf(task)) ?? 0) + 1)
      left.set(flowOf(task), (left.get(flowOf(task)) ?? 0) - 1)
    }
    const busy = [...served].filter(([flow]) => (left.get(flow) ?? 0) > 0)
    const counts = busy.map(([, count]) => count)
    assert.ok(counts.length === 0 || Math.max(...counts) - Math.min(...counts) <= 1, `served ${JSON.stringify(busy)}`)
  }
}

function toTask(drawn: Waiting & { cost: number; detour: string | null }, i: number, shared: string, policies: Record<string, object>) {
  const { type, flow, cost, detour } = drawn
  const isSmall = JSON.stringify(policies[shared]).includes('"concurrency":1')
  const gates = [
    { limit: shared, key: "", cost: isSmall ? 1 : cost },
    ...(detour === null ? [] : [{ limit: "wide", key: detour, cost: 1 }]),
  ]
  const plain = { input: "1", priority: 0, tags: [], jobId: null, schedule: null, expiry: null, maxRetries: 3, maxReschedules: null }
  return { id: `task-${i}`, type, flow, gates, ...plain, maxThrottles: null, timeoutMs: 60_000, idempotencyKey: null, inputDigest: null }
}
