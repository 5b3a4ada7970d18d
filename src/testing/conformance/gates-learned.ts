// What a gate has learned is kept: through restarts, sweeps and resets. People may set it, if nobody has learned meanwhile, carry it
// elsewhere, and have it forgotten.

import { deepEqual, equal, notEqual, ok } from "node:assert/strict"
import { emptyLearned, type Taught } from "../../limits/index.ts"
import type { GateReport } from "../../store/limits-contract.ts"
import type { TaskRecord } from "../../task/index.ts"
import { answer } from "./answers.ts"
import { ids } from "./assertions.ts"
import type { Desk } from "./desk.ts"
import { type Bench, theme } from "./kit.ts"
import { completed, throttled } from "./outcomes.ts"
import { linear, rolling, scouting, through } from "./policies.ts"

const day = 86_400_000

/** One refusal: the distance is 1.5 s then, and the gate is closed for as long. */
async function learn(desk: Desk, key = "", limit = "vendor"): Promise<GateReport> {
  const task = await desk.submit({ gates: through(limit, key), flow: key || "none" })
  const worker = desk.newWorker()
  await worker.settle(await worker.claimOne(), throttled(0, 429))
  await desk.move("cancel", task)
  return desk.gate(limit, key)
}

function taughtBy({ learned, pace, slots, policy }: GateReport): Taught {
  ok(learned)
  const fewer = slots && slots.of < (policy.concurrency ?? 0) ? slots.of : null
  return { learned, everyUs: pace?.everyUs ?? null, slots: fewer }
}

const teach = (desk: Desk, taught: Taught | null, version: number | null, key = "") =>
  desk.store.changeLimit({ limit: "vendor", key, change: { kind: "teach", version, taught }, by: "me" })

/** As `counting` has it in src/limits/learning/quota-window.ts. */
const countsWindow = 2

async function startedWithin(desk: Desk, { world }: Bench, ms: number): Promise<readonly TaskRecord[]> {
  const worker = desk.newWorker()
  const started: TaskRecord[] = []
  for (let at = 0; at < ms; at += 10) {
    started.push(...(await worker.claim()))
    await world.advance(10)
  }
  return started
}

async function sweepAll(bench: Bench): Promise<void> {
  for (let i = 0; i < 5; i++) await bench.sweep()
}

export const gatesLearnedTests = theme("gates-learned", {
  "whoever connects later finds what was learned": async (bench) => {
    const first = await bench.connect({ namespace: "kept" })
    await first.declare("vendor", linear({}, { concurrency: 4 }))
    const before = await learn(first, "k")
    await first.store.close()
    const second = await bench.connect({ namespace: "kept" })
    deepEqual(await second.gate("vendor", "k"), before)
    equal(before.adaptive.adaptiveDelayMs, 1_500)
  },

  "it outlives its tasks by weeks, and not for ever": async (bench) => {
    await bench.declare("vendor", linear({ floorDecayUs: 100 * day * 1_000 }))
    const before = await learn(bench, "k")
    for (const days of [1, 28]) {
      await bench.world.advance(days * day)
      await sweepAll(bench)
      deepEqual((await bench.gate("vendor", "k")).learned, before.learned)
    }
    await bench.world.advance(2 * day)
    await sweepAll(bench)
    equal((await bench.store.limits({ names: ["vendor"] })).limits[0]?.gateCount, 0)
    equal((await bench.gate("vendor", "k")).learned, null)
  },

  "a reset opens the gate and keeps what was learned": async (bench) => {
    await bench.declare("vendor", linear())
    const before = await learn(bench)
    ok(before.cooldown)
    await bench.change("vendor", { kind: "reset" })
    const { cooldown, learned, pace } = await bench.gate("vendor")
    deepEqual([cooldown, learned, pace], [null, before.learned, before.pace])
  },

  "whoever knows better is heard at the version that he has seen": async (bench) => {
    await bench.declare("vendor", linear())
    const before = await learn(bench, "k")
    const version = before.learned?.version ?? 0
    const taught = { ...taughtBy(before), everyUs: 4_000_000 }
    ok(version > 0)
    for (const wrong of [version - 1, version + 1]) deepEqual(await teach(bench, taught, wrong, "k"), { kind: "conflict", version })
    deepEqual(await bench.gate("vendor", "k"), before)
    equal((await teach(bench, taught, version, "k")).kind, "ok")
    const after = await bench.gate("vendor", "k")
    deepEqual([after.pace?.everyUs, after.learned?.linear], [4_000_000, before.learned?.linear])
    ok((after.learned?.version ?? 0) > version)
    equal((await teach(bench, taught, version, "k")).kind, "conflict")
  },

  "a gate that nobody has used can be told as well, and one that is told without a version is told in any case": async (bench) => {
    await bench.declare("vendor", linear())
    const taught = taughtBy(await learn(bench, "k"))
    equal((await teach(bench, taught, 0, "new")).kind, "ok")
    equal((await teach(bench, taught, null, "new")).kind, "ok")
    const { learned, pace } = await bench.gate("vendor", "new")
    deepEqual([learned?.linear, pace?.everyUs], [taught.learned.linear, 1_500_000])
    const { gates } = await bench.store.gates({ limit: "vendor", keys: null, afterKey: null, count: 9 })
    deepEqual(
      gates.map(({ key }) => key),
      ["k", "new"],
    )
    deepEqual(await bench.store.changeLimit({ limit: "nobody", key: "", change: { kind: "teach", version: null, taught }, by: "me" }), {
      kind: "unknown_limit",
      known: ["vendor"],
    })
  },

  "what is told holds at once, for those who wait as well": async (bench) => {
    await bench.declare("vendor", linear({ baseDelayUs: 60_000_000 }))
    const taught = taughtBy(await learn(bench, "other"))
    const tasks = await bench.submitMany(3, { gates: [{ limit: "vendor", key: "", cost: 1, delayMs: 0 }] })
    const worker = bench.newWorker()
    equal((await teach(bench, { ...taught, everyUs: 10_000_000 }, null)).kind, "ok")
    const held = await worker.claimOne()
    const before = await worker.look()
    deepEqual(before.claimed, [])
    equal((await teach(bench, { ...taught, everyUs: 2_000_000 }, null)).kind, "ok")
    const { nextAtMs, nowMs } = await worker.look()
    ok((nextAtMs ?? 0) - nowMs <= 2_000, `expected the next start within 2 s, got ${(nextAtMs ?? 0) - nowMs} ms`)
    ok((before.nextAtMs ?? 0) > (nextAtMs ?? 0))
    await bench.world.advance((nextAtMs ?? 0) - nowMs)
    deepEqual(ids(await worker.claim()), ids(tasks.slice(1, 2)))
    await worker.settle(held, completed())
  },

  "a short window that the other side has told of is counted, also by whoever connects later": async (bench) => {
    const first = await bench.connect({ namespace: "kept" })
    await first.declare("vendor", scouting())
    const quota = { ...emptyLearned.parts.quota, limit: 3, windowUs: 1_000_000, counting: countsWindow }
    const taught: Taught = { learned: { version: 1, changedAtUs: 0, quota }, everyUs: 100, slots: null }
    equal((await teach(first, taught, null)).kind, "ok")
    await first.submitMany(5, { gates: through("vendor") })
    const started = await startedWithin(first, bench, 100)
    equal(started.length, 3)
    deepEqual((await first.gate("vendor")).levels, [{ used: 3, of: 3, perMs: 1_000 }])
    await first.store.close()
    const second = await bench.connect({ namespace: "kept" })
    equal((await startedWithin(second, bench, 100)).length, 0)
    // What is never answered may have been under way for half a second.
    await bench.world.advance(1_500)
    equal((await startedWithin(second, bench, 100)).length, 2)
    await teach(second, null, null)
    deepEqual((await second.gate("vendor")).levels, [])
  },

  "one gate forgets, or all of the limit do; what was charged and what is closed stays": async (bench) => {
    await bench.declare("vendor", linear({}, { rates: rolling(5, day).rates }))
    await bench.declare("other", linear())
    for (const key of ["a", "b", "c"]) await learn(bench, key)
    await learn(bench, "a", "other")
    const known = async (key: string, limit = "vendor") => (await bench.gate(limit, key)).learned !== null
    await teach(bench, null, null, "b")
    deepEqual([await known("a"), await known("b"), await known("c")], [true, false, true])
    const { pace, levels, cooldown, adaptive } = await bench.gate("vendor", "b")
    deepEqual([pace, levels[0]?.used, adaptive.adaptiveDelayMs], [null, 1, 0])
    ok(cooldown)
    await teach(bench, null, null)
    deepEqual([await known("a"), await known("c"), await known("a", "other")], [false, false, true])
  },

  "what one store has learned is the same in another": async (bench) => {
    const other = await bench.connect({ namespace: "elsewhere" })
    for (const desk of [bench, other]) await desk.declare("vendor", linear({ stepUs: 6_000_000 }, { concurrency: 4 }))
    const before = await learn(bench, "k")
    equal(before.slots?.of, 3)
    equal((await teach(other, taughtBy(before), null, "k")).kind, "ok")
    const after = await other.gate("vendor", "k")
    deepEqual(after.learned?.linear, before.learned?.linear)
    deepEqual([after.pace?.everyUs, after.slots?.of], [before.pace?.everyUs, before.slots?.of])
    const { adaptiveDelayMs, errorStreak } = before.adaptive
    deepEqual([after.adaptive.adaptiveDelayMs, after.adaptive.errorStreak], [adaptiveDelayMs, errorStreak])
  },

  "the log says that it was told, and that it was forgotten": async (bench) => {
    await bench.declare("vendor", linear())
    const taught = taughtBy(await learn(bench, "k"))
    await teach(bench, taught, null, "k")
    await teach(bench, null, null)
    await teach(bench, taught, 99, "k")
    const { changes } = await bench.store.limitChanges({ limit: "vendor", beforeNumber: null, count: 2 })
    deepEqual(
      changes.map(({ key, change, by }) => ({ key, change, by })),
      [
        { key: "", change: { kind: "teach", version: null, taught: null }, by: "me" },
        { key: "k", change: { kind: "teach", version: null, taught }, by: "me" },
      ],
    )
  },

  "the version grows with each change, and with nothing else": async (bench) => {
    await bench.declare("vendor", linear())
    const worker = bench.newWorker()
    const version = async () => (await bench.gate("vendor")).learned?.version ?? 0
    await bench.submit({ gates: through("vendor") })
    const task = await worker.claimOne()
    equal(await version(), 0)
    await bench.world.advance(10)
    await worker.settle(task, completed(), { heard: [answer("told")] })
    equal(await version(), 0)
    await learnBy(bench)
    const after = await version()
    notEqual(after, 0)
    await worker.look()
    equal(await version(), after)
  },

  "a limit whose code no longer learns keeps no pace that was learned": async (bench) => {
    for (const policy of [linear({ baseDelayUs: 0 }), scouting()]) {
      const limit = `vendor-${policy.adaptive?.preset}`
      await bench.declare(limit, policy)
      await learn(bench, "", limit)
      await bench.world.advance(2 * day)
      await bench.declare(limit, rolling(5, 10_000))
      await bench.submitMany(5, { gates: through(limit) })
      equal((await bench.newWorker().claim()).length, 5, limit)
    }
  },
})

async function learnBy(bench: Bench): Promise<void> {
  await bench.world.advance(1_000)
  await bench.submit({ gates: through("vendor") })
  const worker = bench.newWorker()
  await worker.settle(await worker.claimOne(), completed())
}
