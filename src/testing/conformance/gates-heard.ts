// What the other side has answered is told to the gates of the task that asked: with a permit or when the run settles, to all of them or
// to those of the limit that it names.

import { deepEqual, equal, ok } from "node:assert/strict"
import type { Answer } from "../../store/exchange-contract.ts"
import type { TaskRecord } from "../../task/index.ts"
import { answer, quota } from "./answers.ts"
import { type Bench, theme } from "./kit.ts"
import { completed, failed, throttled } from "./outcomes.ts"
import { linear, rolling, scouting, slots, through } from "./policies.ts"

const gates = [...through("a", "k"), ...through("b")]
const blocked = (cap?: number) => throttled(7_000, 403, { scope: "task", ...(cap === undefined ? {} : { cap }) })

async function running(bench: Bench): Promise<TaskRecord> {
  for (const name of ["a", "b"]) await bench.declare(name, linear())
  await bench.submit({ gates })
  const worker = bench.newWorker()
  for (;;) {
    const { claimed, nextAtMs, nowMs } = await worker.look()
    await bench.world.advance(claimed.length > 0 ? 100 : (nextAtMs ?? 0) - nowMs)
    for (const task of claimed) return task
  }
}

async function delays(bench: Bench): Promise<number[]> {
  return [(await bench.gate("a", "k")).adaptive.adaptiveDelayMs, (await bench.gate("b")).adaptive.adaptiveDelayMs]
}

/** Says it in one of the two ways. */
const ways: Readonly<Record<string, (bench: Bench, task: TaskRecord, heard: readonly Answer[]) => Promise<unknown>>> = {
  settle: (bench, task, heard) => bench.newWorker().settle(task, completed(), { heard }),
  permit: (bench, { id, fence }, heard) => bench.store.permit({ id, fence, limit: "b", cost: 1, withinMs: 60_000, heard }),
}

export const gatesHeardTests = theme("gates-heard", {
  ...Object.fromEntries(
    Object.entries(ways).map(([way, say]) => [
      `told by a ${way}: every gate of the task hears an answer, and of one that is named nobody else`,
      async (bench: Bench) => {
        for (const [limit, expected] of [
          [null, [1_500, 1_500]],
          ["a", [1_500, 0]],
          ["b", [0, 1_500]],
          ["elsewhere", [0, 0]],
        ] as const) {
          const task = await running(bench)
          await say(bench, task, [answer("refused", { limit })])
          deepEqual(await delays(bench), expected, `of limit ${limit}`)
          if (way === "permit") await bench.newWorker().settle(task, completed(), { heard: [] })
          for (const name of ["a", "b"]) await bench.change(name, { kind: "teach", version: null, taught: null })
          for (const name of ["a", "b"]) await bench.change(name, { kind: "reset" })
          await bench.world.advance(60_000)
        }
      },
    ]),
  ),

  "a permit tells what was heard also where it grants nothing": async (bench) => {
    for (const [i, fields] of [{ limit: "elsewhere" }, { limit: "a", cost: 9 }, { limit: "a", withinMs: 0 }].entries()) {
      await bench.declare(`a${i}`, linear({}, { rates: rolling(5, 1_000).rates }))
      await bench.submit({ gates: through(`a${i}`) })
      const { id, fence } = await bench.newWorker().claimOne()
      await bench.world.advance(100)
      const limit = fields.limit === "a" ? `a${i}` : fields.limit
      const said = await bench.store.permit({ id, fence, cost: 1, withinMs: 60_000, ...fields, limit, heard: [answer("refused")] })
      ok(said.kind !== "ok")
      equal((await bench.gate(`a${i}`)).adaptive.errorStreak, 1, `after ${said.kind}`)
    }
  },

  "what a permit has told is not told again by the settle that says nothing of it": async (bench) => {
    const task = await running(bench)
    await ways.permit?.(bench, task, [answer("refused")])
    await bench.world.advance(20_000)
    await bench.newWorker().settle(task, failed())
    deepEqual(await delays(bench), [1_500, 1_500])
    equal((await bench.gate("b")).adaptive.errorStreak, 1)
  },

  "under a fence that is over nothing is heard": async (bench) => {
    const task = await running(bench)
    for (const say of Object.values(ways)) await say(bench, { ...task, fence: task.fence + 1 }, [answer("refused")])
    deepEqual(await delays(bench), [0, 0])
  },

  "a run that completes and has noted nothing was served, and one that fails says nothing": async (bench) => {
    const worker = bench.newWorker()
    const task = await running(bench)
    await worker.settle(task, completed())
    equal((await bench.gate("b")).adaptive.successStreak, 1)
    equal((await bench.gate("b")).adaptive.lastSuccessAtMs, bench.world.wallMs())
    await worker.settle(await running(bench), failed())
    equal((await bench.gate("b")).adaptive.successStreak, 1)
    await worker.settle(await running(bench), completed(), { heard: [answer("served"), answer("served"), answer("told")] })
    equal((await bench.gate("b")).adaptive.successStreak, 3)
  },

  "an answer to a request from before the reaction is no news": async (bench) => {
    const task = await running(bench)
    await bench.world.advance(1_000)
    await ways.permit?.(bench, task, [answer("refused")])
    await bench.world.advance(1_000)
    await ways.permit?.(bench, task, [answer("refused", { sentAgoMs: 1_001 }), answer("served", { sentAgoMs: 1_001 })])
    equal((await bench.gate("b")).adaptive.errorStreak, 1)
    await ways.permit?.(bench, task, [answer("refused", { sentAgoMs: 999 })])
    equal((await bench.gate("b")).adaptive.errorStreak, 2)
  },

  "a quota that is used up closes the gate that is about it, and no other": async (bench) => {
    await bench.declare("requests", slots(5))
    await bench.declare("tokens", { ...slots(5), quota: "tokens" })
    await bench.declare("images", { ...slots(5), quota: "images" })
    await bench.submit({ gates: ["requests", "tokens", "images"].flatMap((name) => through(name)) })
    const task = await bench.newWorker().claimOne()
    const heard = [answer("served", { quotas: [quota("requests", 7, 10_500), quota("tokens", 0, 10_500)] })]
    await bench.newWorker().settle(task, completed(), { heard })
    const closed = async (name: string) => ((await bench.gate(name)).opensAtMs ?? 0) - bench.world.wallMs()
    deepEqual([await closed("requests"), await closed("tokens"), await closed("images")], [0, 10_500, 0])
  },

  "a limit of requests takes a quota that goes by another name, unless that counts something else": async (bench) => {
    for (const [name, closedMs] of [
      ["burst-policy", 10_500],
      ["input-tokens", 0],
    ] as const) {
      await bench.declare(name, slots(5))
      await bench.submit({ gates: through(name) })
      const heard = [answer("served", { quotas: [quota(name, 0, 10_500)] })]
      const worker = bench.newWorker()
      await worker.settle(await worker.claimOne(), completed(), { heard })
      equal(((await bench.gate(name)).opensAtMs ?? 0) - bench.world.wallMs(), closedMs, name)
    }
  },

  "a scout takes its pace from a quota that it is told": async (bench) => {
    await bench.declare("vendor", scouting())
    const worker = bench.newWorker()
    for (let i = 0; i < 3; i++) {
      await bench.submit({ gates: through("vendor") })
      await worker.settle(await worker.claimOne(), completed(), {
        heard: [answer("served", { quotas: [quota("requests", 60 - i, 60_000 - i * 5_000)] })],
      })
      await bench.world.advance(5_000)
    }
    const everyUs = (await bench.gate("vendor")).pace?.everyUs ?? 0
    // Sixty in a minute, and of the first window that it hears of no more than half.
    ok(everyUs > 1_000_000 && everyUs < 2_500_000, `expected about a start in two seconds, got one every ${everyUs} µs`)
  },

  "a refusal of the task alone keeps its gates open, waits for the distance of one that learns by steps, and fails at the cap": async (
    bench,
  ) => {
    await bench.declare("paced", linear({ maxRetries: null }))
    await bench.declare("searching", scouting())
    await bench.declare("plain", slots(5))
    const worker = bench.newWorker()
    for (const [name, waitsMs] of [
      ["paced", 500],
      ["searching", 7_000],
      ["plain", 7_000],
    ] as const) {
      const task = await bench.submit({ gates: through(name) })
      for (let i = 1; i <= 2; i++) {
        await worker.settle(await worker.claimOne(), blocked(2))
        const { cooldown, adaptive } = await bench.gate(name)
        deepEqual([cooldown, adaptive.errorStreak, (await bench.get(task)).throttleCount], [null, 0, i])
        const { claimed, nextAtMs, nowMs } = await worker.look()
        deepEqual(claimed, [])
        const leftMs = (nextAtMs ?? 0) - nowMs
        ok(leftMs <= waitsMs && leftMs >= waitsMs - 50, `expected ${name} to hold it for ${waitsMs} ms, got ${leftMs}`)
        await bench.world.advance(leftMs)
      }
      deepEqual(await worker.settle(await worker.claimOne(), blocked(2)), { kind: "ok", status: "failed" })
      equal((await bench.get(task)).lastError, "Max throttles (2) exceeded, last upstream status 403")
    }
  },

  "a limit caps how often the other side may refuse a task, unless the task says so itself": async (bench) => {
    await bench.declare("vendor", linear({ maxRetries: 2 }))
    const worker = bench.newWorker()
    for (const [maxThrottles, most] of [
      [null, 2],
      [0, 0],
      [3, 3],
    ] as const) {
      const task = await bench.submit({ gates: through("vendor"), maxThrottles })
      for (let i = 0; i < most; i++) {
        deepEqual(await worker.settle(await worker.claimOne(), throttled(0, 429)), { kind: "ok", status: "pending" })
        await bench.world.advance(120_000)
      }
      deepEqual(await worker.settle(await worker.claimOne(), throttled(0, 429)), { kind: "ok", status: "failed" })
      equal((await bench.get(task)).lastError, `Max throttles (${most}) exceeded, last upstream status 429`)
      await bench.world.advance(120_000)
    }
  },

  "too many at once takes slots and not the pace": async (bench) => {
    await bench.declare("vendor", scouting({ startUs: 1_000 }, { concurrency: 10 }))
    await bench.submitMany(2, { gates: through("vendor") })
    const worker = bench.newWorker()
    const [task] = await worker.claim()
    ok(task)
    const before = (await bench.gate("vendor")).pace?.everyUs
    await bench.world.advance(50)
    await worker.settle(task, throttled(0, 429), { heard: [answer("refused", { reason: "concurrency" })] })
    const { slots: left, pace } = await bench.gate("vendor")
    deepEqual([left?.of, pace?.everyUs], [7, before])
  },
})
