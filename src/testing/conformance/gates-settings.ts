// Settings: what people do to a limit by hand holds at once, for everybody, for one gate or the whole limit, and can be read back.

import { deepEqual, equal } from "node:assert/strict"
import type { LimitChange } from "../../store/limits-contract.ts"
import { sameTasks } from "./assertions.ts"
import { theme } from "./kit.ts"
import { completed, throttled } from "./outcomes.ts"
import { rate, rates, rolling, slots, through } from "./policies.ts"

const gates = through("vendor")
const set = (override: Extract<LimitChange, { kind: "set" }>["override"], untilMs: number | null = null): LimitChange => ({
  kind: "set",
  override,
  untilMs,
})

export const gatesSettingsTests = theme("gates-settings", {
  "a paused limit lets nobody pass until it is resumed, and names no time": async (bench) => {
    await bench.declare("vendor", rolling(3, 10_000))
    const tasks = await bench.submitMany(5, { gates })
    const worker = bench.worker()
    await bench.change("vendor", { kind: "pause" })
    const { claimed, more, nextAtMs, blockedBy } = await worker.look()
    deepEqual([claimed, more, nextAtMs, blockedBy], [[], false, null, null])
    const paused = await bench.gate("vendor")
    deepEqual([paused.isPaused, paused.opensAtMs, paused.closedUntilMs], [true, null, null])
    await bench.world.advance(86_400_000)
    deepEqual(await worker.claim(), [])
    await bench.change("vendor", { kind: "resume" })
    sameTasks(await worker.claim(), tasks.slice(0, 3))
    deepEqual((await bench.gate("vendor")).isPaused, false)
  },

  "a limit that is closed until a time opens then by itself, or when it is resumed": async (bench) => {
    await bench.declare("vendor", rolling(3, 10_000))
    await bench.submitMany(3, { gates })
    const worker = bench.worker()
    const untilMs = bench.world.wallMs() + 60_000
    await bench.change("vendor", { kind: "close", untilMs })
    const { claimed, nextAtMs, blockedBy } = await worker.look({ max: 1 })
    deepEqual([claimed, nextAtMs, blockedBy], [[], untilMs, "vendor"])
    equal((await bench.gate("vendor")).closedUntilMs, untilMs)
    await bench.world.advance(59_999)
    deepEqual(await worker.claim({ max: 1 }), [])
    await bench.world.advance(1)
    equal((await worker.claim({ max: 1 })).length, 1)
    equal((await bench.gate("vendor")).closedUntilMs, null)
    await bench.change("vendor", { kind: "close", untilMs: untilMs + 60_000 })
    deepEqual(await worker.claim({ max: 1 }), [])
    await bench.change("vendor", { kind: "resume" })
    equal((await worker.claim({ max: 1 })).length, 1)
  },

  "an override holds at once for those who wait, for the parts that it names": async (bench) => {
    const base = slots(2, rate(1, 10_000))
    await bench.declare("vendor", base)
    await bench.submitMany(6, { gates })
    const worker = bench.worker()
    equal((await worker.claim()).length, 1)
    deepEqual(await worker.claim(), [])
    await bench.change("vendor", set({ rates: [rate(5, 10_000)] }))
    const claimed = await worker.claim()
    equal(claimed.length, 1)
    const report = await bench.gate("vendor")
    deepEqual([report.isOverridden, report.policy, report.slots], [true, slots(2, rate(5, 10_000)), { held: 2, of: 2 }])
    await bench.change("vendor", set({ concurrency: 3 }))
    equal((await worker.claim()).length, 1)
    deepEqual((await bench.gate("vendor")).policy, slots(3, rate(5, 10_000)))
  },

  "a stricter override holds at once, and counts what was admitted before": async (bench) => {
    await bench.declare("vendor", rolling(5, 10_000))
    await bench.submitMany(6, { gates })
    const worker = bench.worker()
    equal((await worker.claim({ max: 3 })).length, 3)
    await bench.change("vendor", set({ rates: [rate(2, 10_000)] }))
    const { claimed, nextAtMs } = await worker.look()
    deepEqual([claimed, nextAtMs], [[], bench.world.wallMs() + 10_000])
    await bench.world.advance(10_000)
    equal((await worker.claim()).length, 2)
  },

  "an override with a window of its own counts what was admitted before, and what the code says counts what it admits": async (bench) => {
    await bench.declare("vendor", rolling(4, 10_000))
    await bench.submitMany(20, { gates })
    const worker = bench.worker()
    equal((await worker.claim({ max: 2 })).length, 2)
    await bench.world.advance(1_000)
    const untilMs = bench.world.wallMs() + 1_000
    await bench.change("vendor", set({ rates: [rate(3, 2_000)] }, untilMs))
    deepEqual([(await worker.claim()).length, (await bench.gate("vendor")).policy], [1, rolling(3, 2_000)])
    await bench.world.advance(1_000)
    // Three in the last ten seconds, whoever let them pass.
    equal((await worker.claim()).length, 1)
    const { claimed, nextAtMs } = await worker.look()
    deepEqual([claimed, nextAtMs], [[], bench.world.wallMs() + 8_000])
    await bench.world.advance(8_000)
    equal((await worker.claim()).length, 2)
  },

  "what the code says counts what was admitted while nothing was to hold": async (bench) => {
    await bench.declare("vendor", rolling(4, 10_000))
    await bench.submitMany(20, { gates })
    const worker = bench.worker()
    await bench.change("vendor", set({ rates: [] }))
    equal((await worker.claim({ max: 9 })).length, 9)
    await bench.change("vendor", { kind: "reset" })
    deepEqual(await worker.claim(), [])
    await bench.world.advance(11_000)
    equal((await worker.claim()).length, 4)
  },

  "a run that is under way while an override begins or ends is counted once": async (bench) => {
    await bench.declare("vendor", rolling(4, 10_000))
    await bench.submitMany(20, { gates })
    const worker = bench.worker()
    const before = await worker.claim({ max: 2 })
    equal(before.length, 2)
    await bench.world.advance(100)
    await bench.change("vendor", set({ rates: [rate(3, 2_000)] }))
    for (const task of before) await worker.settle(task, completed())
    await bench.change("vendor", { kind: "reset" })
    // Two in the last ten seconds: two more may pass.
    equal((await worker.claim()).length, 2)
  },

  "a run that an override has let pass is counted once when it ends behind it": async (bench) => {
    await bench.declare("vendor", rolling(4, 10_000))
    await bench.submitMany(20, { gates })
    const worker = bench.worker()
    await bench.change("vendor", set({ rates: [rate(3, 2_000)] }))
    const during = await worker.claim({ max: 2 })
    equal(during.length, 2)
    await bench.world.advance(100)
    await bench.change("vendor", { kind: "reset" })
    for (const task of during) await worker.settle(task, completed())
    equal((await worker.claim()).length, 2)
  },

  "further requests of a run are counted while nothing is to hold": async (bench) => {
    await bench.declare("vendor", rolling(4, 10_000))
    await bench.submitMany(20, { gates })
    const worker = bench.worker()
    await bench.change("vendor", set({ rates: [] }))
    const [task] = await worker.claim({ max: 1 })
    for (let i = 0; i < 3; i++)
      equal((await bench.store.permit({ id: task?.id ?? "", fence: task?.fence ?? 0, limit: "vendor", cost: 1, withinMs: 0 })).kind, "ok")
    await bench.change("vendor", { kind: "reset" })
    // One run and three further requests in the last ten seconds.
    deepEqual(await worker.claim(), [])
  },

  "aligned windows of one length that begin at different times are counted apart": async (bench) => {
    const aligned = (limit: number, phaseMs: number) => rate(limit, 10_000, { provider: "fixed", phaseUs: phaseMs * 1_000 })
    await bench.declare("vendor", rates(aligned(3, 0)))
    await bench.submitMany(30, { gates })
    const worker = bench.worker()
    const claim = async (max = 100) => (await worker.claim({ max })).length
    await bench.world.advance(10_000 - (bench.world.wallMs() % 10_000))
    equal(await claim(2), 2)
    await bench.world.advance(1_000)
    // From second 5 to 15. The window of the code has begun within the one before, and so has all that it let pass.
    await bench.change("vendor", set({ rates: [aligned(3, 5_000)] }))
    equal(await claim(), 1)
    await bench.world.advance(5_000)
    equal(await claim(2), 2)
    const { levels } = await bench.gate("vendor")
    equal(levels[0]?.used, 2)
    // Three before the override and during it, and two since: the window of the code, from second 0 to 10, is more than full.
    await bench.change("vendor", { kind: "reset" })
    deepEqual([await claim(), (await bench.gate("vendor")).levels[0]?.used], [0, 3])
    // At second 10 it begins anew, whatever the other one, which goes on until 15, has left.
    await bench.world.advance(4_000)
    equal(await claim(), 3)
  },

  "two aligned windows of one length hold both": async (bench) => {
    const aligned = (limit: number, phaseMs: number) => rate(limit, 10_000, { provider: "fixed", phaseUs: phaseMs * 1_000 })
    await bench.declare("vendor", rates(aligned(4, 0), aligned(3, 5_000)))
    await bench.submitMany(30, { gates })
    const worker = bench.worker()
    const claim = async (max = 100) => (await worker.claim({ max })).length
    await bench.world.advance(10_000 - (bench.world.wallMs() % 10_000))
    equal(await claim(), 3)
    await bench.world.advance(5_000)
    equal(await claim(), 1)
    // In another order: each is found by when its windows begin.
    await bench.change("vendor", set({ rates: [aligned(3, 5_000), aligned(4, 0)] }))
    await bench.world.advance(5_000)
    equal(await claim(), 2)
    await bench.world.advance(5_000)
    equal(await claim(), 2)
  },

  "an override with an end falls back to what the code says": async (bench) => {
    await bench.declare("vendor", slots(3))
    await bench.submitMany(4, { gates })
    const worker = bench.worker()
    const untilMs = bench.world.wallMs() + 5_000
    await bench.change("vendor", set({ concurrency: 1 }, untilMs))
    equal((await worker.claim()).length, 1)
    const { claimed, nextAtMs } = await worker.look()
    deepEqual([claimed, nextAtMs], [[], untilMs])
    await bench.world.advance(5_000)
    equal((await worker.claim()).length, 2)
    equal((await bench.gate("vendor")).isOverridden, false)
  },

  "a setting for a key goes before one for the whole limit, and leaves other keys alone": async (bench) => {
    await bench.declare("vendor", slots(1))
    await bench.change("vendor", set({ concurrency: 2 }))
    await bench.change("vendor", set({ concurrency: 3 }), "a")
    await bench.change("vendor", { kind: "pause" }, "b")
    for (const key of ["a", "b", "c"]) await bench.submitMany(5, { gates: through("vendor", key) })
    const claimed = await bench.worker().claim()
    const passed = (key: string) => claimed.filter((task) => task.gates?.[0]?.key === key).length
    deepEqual([passed("a"), passed("b"), passed("c")], [3, 0, 2])
    const { settings } = await bench.change("vendor", { kind: "resume" }, "b")
    const blank = { override: null, overrideUntilMs: null, isPaused: false, closedUntilMs: null }
    deepEqual(settings, { "": { ...blank, override: { concurrency: 2 } }, a: { ...blank, override: { concurrency: 3 } } })
    equal((await bench.worker("other").claim()).length, 2)
  },

  "a gate whose key is called like something that every object has is set like any other": async (bench) => {
    await bench.declare("vendor", slots(3))
    const keys = ["__proto__", "constructor", "isPaused", "toString"]
    const worker = bench.worker()
    for (const key of keys) {
      await bench.change("vendor", { kind: "pause" }, key)
      await bench.change("vendor", set({ concurrency: 1 }), key)
      await bench.submitMany(2, { gates: through("vendor", key) })
    }
    deepEqual(await worker.claim(), [])
    for (const key of keys) equal((await bench.gate("vendor", key)).isPaused, true, key)
    for (const key of keys) await bench.change("vendor", { kind: "resume" }, key)
    equal((await worker.claim()).length, keys.length)
    for (const key of keys) await bench.change("vendor", { kind: "reset" }, key)
    deepEqual((await bench.change("vendor", { kind: "resume" })).settings, {})
    equal((await worker.claim()).length, keys.length)
  },

  "a pause of the whole limit pauses every key, whatever is set for it": async (bench) => {
    await bench.declare("vendor", slots(1))
    await bench.change("vendor", set({ concurrency: 5 }), "a")
    await bench.change("vendor", { kind: "pause" })
    await bench.submit({ gates: through("vendor", "a") })
    deepEqual(await bench.worker().claim(), [])
  },

  "a reset undoes what was set and ends the cooldown; what was charged stays charged": async (bench) => {
    await bench.declare("vendor", rolling(2, 10_000))
    await bench.submitMany(4, { gates })
    const worker = bench.worker()
    const [held] = await worker.claim({ max: 1 })
    if (held) await worker.settle(held, throttled(0, 429, { retryAfterMs: 600_000 }))
    await bench.change("vendor", set({ rates: [rate(9, 10_000)] }))
    await bench.change("vendor", { kind: "pause" })
    await bench.change("vendor", { kind: "close", untilMs: bench.world.wallMs() + 60_000 })
    deepEqual(await worker.claim(), [])
    const { settings } = await bench.change("vendor", { kind: "reset" })
    deepEqual(settings, {})
    const { isOverridden, isPaused, closedUntilMs, cooldown, levels } = await bench.gate("vendor")
    deepEqual([isOverridden, isPaused, closedUntilMs, cooldown, levels[0]?.used], [false, false, null, null, 1])
    equal((await worker.claim()).length, 1)
  },

  "a limit that nobody has declared cannot be set": async (bench) => {
    await bench.declare("vendor", slots(1))
    await bench.declare("other", slots(1))
    const answer = await bench.store.changeLimit({ limit: "vendr", key: "", change: { kind: "pause" }, by: "me" })
    deepEqual(answer, { kind: "unknown_limit", known: ["other", "vendor"] })
  },

  "settings hold for whoever connects later": async (bench) => {
    const first = await bench.connect({ namespace: "kept" })
    await first.declare("vendor", slots(5))
    await first.change("vendor", { kind: "pause" })
    await first.change("vendor", set({ concurrency: 1 }))
    await first.store.close()
    const second = await bench.connect({ namespace: "kept" })
    await second.declare("vendor", slots(5))
    await second.submitMany(3, { gates })
    deepEqual(await second.worker().claim(), [])
    await second.change("vendor", { kind: "resume" })
    const held = await second.worker("other").claimOne()
    await second.worker("other").settle(held, completed())
  },

  "the log tells what was changed, when and by whom, the latest first, page by page": async (bench) => {
    await bench.declare("vendor", slots(1))
    await bench.declare("other", slots(1))
    const changes: LimitChange[] = [{ kind: "pause" }, { kind: "resume" }, set({ concurrency: 4 }), { kind: "reset" }]
    const atMs: number[] = []
    for (const change of changes) {
      await bench.world.advance(1_000)
      atMs.push(bench.world.wallMs())
      await bench.store.changeLimit({ limit: "vendor", key: "k", change, by: `cli ${change.kind}` })
    }
    const read = (beforeNumber: number | null, count: number) => bench.store.limitChanges({ limit: "vendor", beforeNumber, count })
    const { changes: newest } = await read(null, 3)
    deepEqual(
      newest.map(({ number: _, ...line }) => line),
      [3, 2, 1].map((i) => ({ atMs: atMs[i], limit: "vendor", key: "k", change: changes[i], by: `cli ${changes[i]?.kind}` })),
    )
    const { changes: rest } = await read(newest.at(-1)?.number ?? 0, 10)
    deepEqual(
      rest.map(({ change }) => change),
      [{ kind: "pause" }, { kind: "base", policy: slots(1) }],
    )
    equal((await bench.store.limitChanges({ limit: null, beforeNumber: null, count: 10 })).changes.length, 6)
  },
})
