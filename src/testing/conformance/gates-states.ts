// States: who asks for it is told all that a gate keeps, so that he can reckon on from there and comes to what the store will do.

import { deepEqual, equal, ok } from "node:assert/strict"
import { admit, type GateState, gateOpensAtUs, neverUs } from "../../limits/index.ts"
import type { GateReport } from "../../store/limits-contract.ts"
import { only } from "./assertions.ts"
import type { Desk } from "./desk.ts"
import { theme } from "./kit.ts"
import { completed } from "./outcomes.ts"
import { rate, rolling, slots, through } from "./policies.ts"

const gates = through("vendor")

async function asked(desk: Desk, key = ""): Promise<GateReport & { readonly state: GateState }> {
  const { gates: found } = await desk.store.gates({ limit: "vendor", keys: [key], afterKey: null, count: 1, withStates: true })
  const { state, ...report } = only(found)
  ok(state, "expected the state of the gate, which was asked for")
  return { ...report, state }
}

export const gatesStatesTests = theme("gates-states", {
  "a state is told where it was asked for, and nowhere else": async (bench) => {
    await bench.declare("vendor", rolling(3, 10_000))
    equal("state" in (await bench.gate("vendor")), false)
    await bench.submitMany(2, { gates })
    await bench.worker().claim()
    equal("state" in (await bench.gate("vendor")), false)
    equal((await asked(bench)).state.rates.length, 1)
    const { gates: all } = await bench.store.gates({ limit: "vendor", keys: null, afterKey: null, count: 9, withStates: true })
    deepEqual(only(all).state, (await asked(bench)).state)
  },

  "reckoned on from a state, tasks start when the store starts them": async (bench) => {
    await bench.declare("vendor", rolling(3, 10_000))
    await bench.submitMany(9, { gates })
    const worker = bench.worker()
    equal((await worker.claim({ max: 2 })).length, 2)
    await bench.world.advance(4_000)
    equal((await worker.claim()).length, 1)
    const { policy, state } = await asked(bench)
    const startsMs: number[] = []
    let after = state
    for (let nowUs = (await bench.nowMs()) * 1_000; startsMs.length < 6; ) {
      const admission = admit(policy, after, nowUs, { id: `${startsMs.length}`, fence: 1, cost: 1, untilUs: nowUs })
      if (admission.kind === "refused") nowUs = admission.atUs
      else {
        after = admission.state
        startsMs.push(Math.ceil(nowUs / 1_000))
      }
    }
    const seenMs: number[] = []
    while (seenMs.length < 6) {
      const { claimed, nextAtMs } = await worker.look()
      const nowMs = await bench.nowMs()
      for (const _task of claimed) seenMs.push(nowMs)
      if (nextAtMs !== null) await bench.world.advance(nextAtMs - nowMs)
    }
    deepEqual(seenMs, startsMs)
  },

  "a state has whoever holds a slot, until when, and loses him when he settles": async (bench) => {
    await bench.declare("vendor", slots(2, rate(9, 10_000)))
    const tasks = await bench.submitMany(3, { gates })
    const worker = bench.worker()
    const [first, second] = await worker.claim()
    const { policy, state, opensAtMs } = await asked(bench)
    deepEqual(
      state.holders.map(({ id, untilUs }) => [id, untilUs]),
      [first, second].map((task) => [task?.id, (task?.leaseExpiresAtMs ?? 0) * 1_000]),
    )
    equal(gateOpensAtUs(policy, state, (await bench.nowMs()) * 1_000, 1), (opensAtMs ?? 0) * 1_000)
    if (first) await worker.settle(first, completed())
    deepEqual(
      (await asked(bench)).state.holders.map(({ id }) => id),
      [tasks[1]?.id],
    )
  },

  "a state is closed as long as people have closed the gate": async (bench) => {
    await bench.declare("vendor", rolling(3, 10_000))
    const untilMs = (await bench.nowMs()) + 60_000
    await bench.change("vendor", { kind: "close", untilMs })
    equal((await asked(bench)).state.closedUntilUs, untilMs * 1_000)
    await bench.change("vendor", { kind: "pause" }, "one")
    deepEqual(
      [(await asked(bench, "one")).state.closedUntilUs, (await asked(bench, "other")).state.closedUntilUs],
      [neverUs, untilMs * 1_000],
    )
  },

  "the gate of a key that nobody has used is empty": async (bench) => {
    await bench.declare("vendor", rolling(3, 10_000))
    const { state, waitingTasks } = await asked(bench, "new")
    deepEqual([state.holders, state.closedUntilUs, waitingTasks], [[], 0, 0])
    deepEqual(
      (await bench.store.gates({ limit: "vendor", keys: null, afterKey: null, count: 9, withStates: true })).gates,
      [],
      "asking makes no gate",
    )
  },
})
