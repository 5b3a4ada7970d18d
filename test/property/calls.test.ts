// Calls and tasks at one gate, in any order, on every store: never more than the limit, nobody overtakes a call that waits, and calls are
// served in the order in which they came.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import fc from "fast-check"
import type { TaskRecord } from "../../src/task/index.ts"
import { Bench, type OpenBacking } from "../../src/testing/conformance/index.ts"
import { completed } from "../../src/testing/conformance/outcomes.ts"
import { rate, slots, through } from "../../src/testing/conformance/policies.ts"
import { callLeaseMs, released } from "../../src/testing/conformance/test-caller.ts"
import { openers } from "../conformance/openers.ts"
import { runs } from "./runs.ts"

const step = fc.record({
  what: fc.constantFrom("acquire", "acquire", "try", "release", "giveUp", "renew", "look", "submit", "claim", "settle", "wait"),
  who: fc.nat(2),
  pick: fc.nat(20),
  cost: fc.constantFrom(1, 1, 1, 2),
  waitMs: fc.constantFrom(0, 500, 3_000, 11_000, callLeaseMs),
})

interface Known {
  readonly id: string
  readonly who: number
  readonly cost: number
  /** Its place, among all that came to wait. */
  readonly place: number
  untilMs: number
}

/** What the processes know: they learn of their grants when they ask. */
class Scene {
  readonly waiting = new Map<string, Known>()
  readonly holding = new Map<string, Known>()
  readonly tasks: TaskRecord[] = []
  readonly startedAtMs: number[] = []
  private readonly bench: Bench
  private readonly limit: number
  private readonly perRate: number
  private places = 0

  constructor(bench: Bench, limit: number, perRate: number) {
    this.bench = bench
    this.limit = limit
    this.perRate = perRate
  }

  get nowMs(): number {
    return this.bench.world.wallMs()
  }

  begin(id: string, who: number, cost: number): Known {
    return { id, who, cost, place: ++this.places, untilMs: this.nowMs + callLeaseMs }
  }

  /** All processes ask, so that everybody knows what he has. */
  async learn(callers: readonly ReturnType<Bench["caller"]>[]): Promise<void> {
    this.drop()
    const before = [...this.waiting.values()]
    // Twice: one may be granted what another's hold has found.
    for (const caller of [...callers, ...callers]) {
      for (const { id, untilMs } of (await caller.hold()).granted) {
        const call = this.waiting.get(id)
        if (!call) continue
        this.waiting.delete(id)
        this.holding.set(id, { ...call, untilMs })
        this.startedAtMs.push(this.nowMs)
      }
    }
    const served = before.filter(({ id }) => this.holding.has(id)).map(({ place }) => place)
    const left = [...this.waiting.values()].map(({ place }) => place)
    assert.ok(Math.max(0, ...served) < Math.min(Number.POSITIVE_INFINITY, ...left), `served ${served} before ${left}`)
    this.check()
  }

  drop(): void {
    for (const list of [this.waiting, this.holding]) for (const [id, call] of list) if (call.untilMs <= this.nowMs) list.delete(id)
  }

  check(): void {
    const held = [...this.holding.values()].reduce((sum, { cost }) => sum + (this.perRate > 0 ? 1 : cost), 0)
    assert.ok(held + this.tasks.length <= this.limit, `${held} calls and ${this.tasks.length} tasks hold ${this.limit} slots`)
  }
}

async function play(
  openBacking: OpenBacking,
  limit: number,
  perRate: number,
  steps: readonly (typeof step extends fc.Arbitrary<infer S> ? S : never)[],
) {
  const bench = await Bench.open(openBacking)
  try {
    await bench.declare("vendor", perRate > 0 ? slots(limit, rate(perRate, 10_000)) : slots(limit))
    const callers = [0, 1, 2].map((who) => bench.caller(`caller-${who}`))
    const worker = bench.worker()
    const scene = new Scene(bench, limit, perRate)
    const pick = <T>(items: readonly T[], at: number): T | undefined => items[at % Math.max(1, items.length)]
    for (const { what, who, pick: at, cost: drawn, waitMs } of steps) {
      const cost = perRate > 0 ? 1 : Math.min(drawn, limit)
      const caller = callers[who]
      assert.ok(caller)
      await scene.learn(callers)
      if (what === "acquire" || what === "try") {
        const isAnybodyBefore = scene.waiting.size > 0
        const call = await caller.acquire("vendor", { cost, waitMs: what === "try" ? 0 : 60_000 })
        const known = scene.begin(call.id, who, cost)
        if (call.kind === "granted") {
          assert.ok(!isAnybodyBefore, "granted while others wait")
          scene.holding.set(call.id, known)
          scene.startedAtMs.push(scene.nowMs)
        } else if (call.kind === "waiting") scene.waiting.set(call.id, known)
      }
      const held = pick([...scene.holding.values()], at)
      if (what === "release" && held) {
        scene.holding.delete(held.id)
        assert.equal(await callers[held.who]?.release(held), "ok")
      }
      const waiting = pick([...scene.waiting.values()], at)
      if (what === "giveUp" && waiting) {
        scene.waiting.delete(waiting.id)
        await callers[waiting.who]?.hold({ release: [released(waiting.id)] })
      }
      if (what === "renew") {
        const own = [...scene.holding.values(), ...scene.waiting.values()].filter((call) => call.who === who)
        const { kept } = await caller.hold({ renew: own.map(({ id }) => ({ id })) })
        assert.ok(!kept.includes("stale"), `${kept}`)
        for (const call of own) call.untilMs = scene.nowMs + callLeaseMs
      }
      if (what === "submit") await bench.submit({ gates: through("vendor") })
      if (what === "claim") {
        const claimed = await worker.claim()
        assert.ok(claimed.length === 0 || scene.waiting.size === 0, "a task has overtaken a call")
        scene.tasks.push(...claimed)
        scene.startedAtMs.push(...claimed.map(() => scene.nowMs))
      }
      const task = pick(scene.tasks, at)
      if (what === "settle" && task) {
        scene.tasks.splice(scene.tasks.indexOf(task), 1)
        await worker.settle(task, completed())
      }
      // Not so long that a lease of a task is lost: that is another test's.
      if (what === "wait") {
        await bench.world.advance(waitMs)
        for (const held of scene.tasks) await worker.heartbeat(held)
        if (waitMs >= callLeaseMs) scene.tasks.splice(0)
      }
      scene.drop()
      scene.check()
    }
    if (perRate > 0) neverMore(scene.startedAtMs, perRate)
  } finally {
    await bench.close()
  }
}

function neverMore(times: readonly number[], perRate: number): void {
  for (const [i, atMs] of times.entries()) {
    const next = times[i + perRate]
    assert.ok(next === undefined || next - atMs >= 10_000, `${perRate + 1} starts in ${(next ?? 0) - atMs} ms`)
  }
}

describe("calls and tasks at one gate", () => {
  for (const [name, openBacking] of Object.entries(openers)) {
    it(`${name}: keep its slots and their order`, async () => {
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.array(step, { minLength: 5, maxLength: 60, size: "max" }), (limit, steps) =>
          play(openBacking, limit, 0, steps),
        ),
        { numRuns: runs(name === "memory" ? 120 : name === "s3" ? 4 : 12) },
      )
    })

    it(`${name}: keep its rate as well`, async () => {
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.array(step, { minLength: 5, maxLength: 60, size: "max" }), (limit, steps) =>
          play(openBacking, limit, 3, steps),
        ),
        { numRuns: runs(name === "memory" ? 120 : name === "s3" ? 4 : 12) },
      )
    })
  }
})
