// Wake-ups at gates: whoever waits for work hears of every opening that comes earlier than it was told. Each test starts to wait first and then
// makes something happen, on another connection where it can.

import { equal } from "node:assert/strict"
import type { LimitChange } from "../../store/limits-contract.ts"
import type { Desk } from "./desk.ts"
import { type Bench, theme } from "./kit.ts"
import { completed, retried } from "./outcomes.ts"
import { rate, rates, rolling, slots, through } from "./policies.ts"

const gates = through("vendor")

/** Somebody has claimed all that could pass and sleeps; then something happens elsewhere, and there is one more. */
async function wakes(bench: Bench, expected: string, happen: (other: Desk) => Promise<unknown>): Promise<void> {
  const other = await bench.connect()
  const sleeper = bench.worker("sleeper")
  equal((await sleeper.claim()).length, 0)
  const woken = await asleep(bench)
  await happen(other)
  await bench.until(Promise.all(woken), `to be woken by ${expected}`)
  equal((await sleeper.claim()).length, 1)
}

/** A wait that nothing from before ends, for a store may wake for its own news; in a list, because a promise alone would be awaited. */
async function asleep(bench: Bench): Promise<Promise<void>[]> {
  for (let tries = 0; ; tries++) {
    let isWoken = false
    const waiting = bench.store.wait({ workerId: "sleeper" }, new AbortController().signal)
    waiting.then(() => {
      isWoken = true
    })
    await bench.world.advance(1_000)
    if (!isWoken || tries > 5) return [waiting]
  }
}

/** A limit that one task has used up and another waits for. */
async function usedUp(bench: Bench, policy = slots(1)) {
  await bench.declare("vendor", policy)
  await bench.submitMany(2, { gates })
  const { claimed } = await bench.worker("busy").exchange({ leaseMs: 86_400_000, claim: bench.worker().nextClaim() })
  const [held] = claimed
  if (!held || claimed.length !== 1) throw new Error(`expected one task to pass, got ${claimed.length}`)
  return held
}

const changed = (bench: Bench, change: LimitChange) =>
  wakes(bench, `the change ${change.kind}`, (other) => other.store.changeLimit({ limit: "vendor", key: "", change, by: "me" }))

export const gatesWakeupsTests = theme("gates-wakeups", {
  "a slot that is given back wakes": async (bench) => {
    const held = await usedUp(bench)
    await wakes(bench, "a slot", (other) => other.worker("busy").settle(held, completed()))
  },

  "a slot that a retry gives back wakes": async (bench) => {
    const held = await usedUp(bench)
    await wakes(bench, "a slot", (other) => other.worker("busy").settle(held, retried(60_000)))
  },

  "a limit that is resumed wakes": async (bench) => {
    await bench.declare("vendor", slots(9))
    await bench.change("vendor", { kind: "pause" })
    await bench.submit({ gates })
    await changed(bench, { kind: "resume" })
  },

  "a closing that is taken back wakes": async (bench) => {
    await bench.declare("vendor", slots(9))
    await bench.change("vendor", { kind: "close", untilMs: bench.world.wallMs() + 3_600_000 })
    await bench.submit({ gates })
    await changed(bench, { kind: "reset" })
  },

  "a limit that is loosened wakes": async (bench) => {
    await usedUp(bench)
    await changed(bench, { kind: "set", override: { concurrency: 2 }, untilMs: null })
  },

  "a deploy that loosens the limit wakes": async (bench) => {
    await usedUp(bench, rolling(1, 3_600_000))
    await bench.world.advance(90_000)
    await wakes(bench, "a deploy", (other) => other.declare("vendor", rolling(2, 3_600_000)))
  },

  "a charge that is corrected wakes": async (bench) => {
    const held = await usedUp(bench, rolling(1, 3_600_000))
    await wakes(bench, "a corrected charge", (other) =>
      other.worker("busy").settle(held, completed(), { spent: [{ limit: "vendor", actual: 0 }] }),
    )
  },

  "an answer that opens the gate earlier wakes, though not at once": async (bench) => {
    const held = await usedUp(bench, rates(rate(1, 60_000, { provider: "unknown", slackUs: 3_600_000_000 })))
    const worker = bench.worker("sleeper")
    equal((await worker.claim()).length, 0)
    const woken = await asleep(bench)
    const answeredAtMs = bench.world.wallMs()
    await (await bench.connect()).worker("busy").settle(held, completed(), { respondedAgoMs: 0 })
    await bench.until(Promise.all(woken), "to be woken by an earlier opening")
    equal((await worker.look()).nextAtMs, answeredAtMs + 60_000)
  },

  "a task that is routed wakes": async (bench) => {
    await bench.declare("vendor", slots(9))
    const task = await bench.submit({ gates: null })
    await wakes(bench, "a route", (other) => other.store.route({ routes: [{ id: task.id, gates, flow: null }] }))
  },
})
