// Permits: a running task asks for one more request at a gate that it has passed. It is charged for the moment at which the request may
// go out, so that nobody takes its place meanwhile.

import { deepEqual, equal, ok } from "node:assert/strict"
import type { PermitAnswer, PermitRequest } from "../../store/limits-contract.ts"
import type { TaskRecord } from "../../task/index.ts"
import { type Bench, theme } from "./kit.ts"
import { completed, throttled } from "./outcomes.ts"
import { rate, rates, rolling, slots, through } from "./policies.ts"
import { leaseMs } from "./test-worker.ts"

const gates = through("vendor")

type Answered = Exclude<PermitAnswer, { kind: "ok" }> | { readonly kind: "ok"; readonly waitMs: number }

async function permit(bench: Bench, { id, fence }: TaskRecord, fields: Partial<PermitRequest> = {}): Promise<Answered> {
  const answer = await bench.store.permit({ id, fence, limit: "vendor", cost: 1, withinMs: 3_600_000, ...fields })
  if (answer.kind !== "ok") return answer
  equal(answer.nowMs, bench.world.wallMs())
  return granted(answer.waitMs)
}

async function running(bench: Bench, policy = rolling(3, 10_000)): Promise<TaskRecord> {
  await bench.declare("vendor", policy)
  await bench.submit({ gates })
  return bench.worker().claimOne()
}

const granted = (waitMs: number) => ({ kind: "ok" as const, waitMs })

export const gatesPermitTests = theme("gates-permit", {
  "each request is charged for when it may go out, and no window has too many": async (bench) => {
    const held = await running(bench)
    const waits: number[] = []
    for (let i = 0; i < 8; i++) {
      const answer = await permit(bench, held)
      ok(answer.kind === "ok")
      waits.push(answer.waitMs)
    }
    deepEqual(waits, [0, 0, 10_000, 10_000, 10_000, 20_000, 20_000, 20_000])
  },

  "a permit keeps others out, now and when its time has come": async (bench) => {
    const held = await running(bench, rolling(2, 10_000))
    deepEqual([await permit(bench, held), await permit(bench, held)], [granted(0), granted(10_000)])
    await bench.submitMany(2, { gates })
    const worker = bench.worker("other")
    const startMs = bench.world.wallMs()
    deepEqual(await worker.claim(), [])
    await bench.world.advance(10_000)
    equal((await worker.claim()).length, 1)
    const { claimed, nextAtMs } = await worker.look()
    deepEqual([claimed, nextAtMs], [[], startMs + 20_000])
  },

  "fixed windows and buckets grant for later as well": async (bench) => {
    const held = await running(bench, rates(rate(2, 10_000, { provider: "fixed" }), rate(10, 10_000, { provider: "bucket", burst: 10 })))
    const answers = []
    for (let i = 0; i < 4; i++) answers.push(await permit(bench, held))
    deepEqual(answers, [granted(0), granted(10_000), granted(10_000), granted(20_000)])
  },

  "it is charged for the millisecond that is told, not for the fraction before it": async (bench) => {
    // One unit comes in every 1,111.1 ms. What the task itself had reserved is given back, so that only the permit counts.
    await bench.declare("vendor", rates(rate(9, 10_000, { provider: "bucket", burst: 2 })))
    await bench.submitMany(2, { gates: through("vendor", "", 2) })
    const worker = bench.worker()
    const held = await worker.claimOne()
    deepEqual(await permit(bench, held), granted(1_112))
    await worker.settle(held, completed(), { spent: [{ limit: "vendor", actual: 0 }] })
    await bench.world.advance(1_112 + 1_111)
    deepEqual(await worker.claim(), [])
    await bench.world.advance(1)
    equal((await worker.claim()).length, 1)
  },

  "one that would come too late is not charged": async (bench) => {
    const held = await running(bench, rolling(1, 10_000))
    deepEqual(await permit(bench, held, { withinMs: 9_999 }), { kind: "later", waitMs: 10_000 })
    deepEqual(await permit(bench, held, { withinMs: 9_999 }), { kind: "later", waitMs: 10_000 })
    deepEqual(await permit(bench, held, { withinMs: 10_000 }), granted(10_000))
  },

  "a closed gate grants nothing: ask again when it opens, or when there is news": async (bench) => {
    const held = await running(bench)
    await bench.change("vendor", { kind: "close", untilMs: bench.world.wallMs() + 5_000 })
    deepEqual(await permit(bench, held), { kind: "later", waitMs: 5_000 })
    await bench.change("vendor", { kind: "pause" })
    deepEqual(await permit(bench, held), { kind: "later", waitMs: null })
    await bench.change("vendor", { kind: "resume" })
    equal((await bench.gate("vendor")).levels[0]?.used, 1)
    deepEqual(await permit(bench, held), granted(0))
  },

  "a cooldown holds requests of those who run already": async (bench) => {
    const held = await running(bench)
    await bench.submit({ gates })
    const worker = bench.worker("other")
    await worker.settle(await worker.claimOne(), throttled(0, 429, { retryAfterMs: 4_000 }))
    deepEqual(await permit(bench, held), { kind: "later", waitMs: 4_000 })
  },

  "a weighted request is charged by its weight, and refused above the limit": async (bench) => {
    const held = await running(bench, rolling(5, 10_000))
    deepEqual(await permit(bench, held, { cost: 4 }), granted(0))
    equal((await bench.gate("vendor")).levels[0]?.used, 5)
    const above = { kind: "cost_above_limit", gate: "vendor", cost: 6, largest: 5 }
    deepEqual(await permit(bench, held, { cost: 6 }), above)
    equal((await bench.gate("vendor")).levels[0]?.used, 5)
  },

  "slots are for runs: a request takes none": async (bench) => {
    const held = await running(bench, slots(1))
    deepEqual([await permit(bench, held), await permit(bench, held)], [granted(0), granted(0)])
    deepEqual((await bench.gate("vendor")).slots, { held: 1, of: 1 })
  },

  "only for a gate that the task has passed": async (bench) => {
    const held = await running(bench)
    await bench.declare("other", rolling(1, 1_000))
    for (const limit of ["other", "nobody"]) deepEqual(await permit(bench, held, { limit }), { kind: "not_passed" })
  },

  "only under the fence of a lease that lives": async (bench) => {
    const held = await running(bench)
    const stale = { kind: "stale" }
    deepEqual(await permit(bench, { ...held, fence: held.fence + 1 }), stale)
    deepEqual(await permit(bench, { ...held, id: "nobody" }), stale)
    await bench.world.advance(leaseMs - 1)
    equal((await permit(bench, held)).kind, "ok")
    await bench.world.advance(1)
    deepEqual(await permit(bench, held), stale)
    await bench.worker().settle(held, completed())
    deepEqual(await permit(bench, held), stale)
  },
})
