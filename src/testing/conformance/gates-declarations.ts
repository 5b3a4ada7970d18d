// Declarations: what live code says of a limit. Processes that disagree are held to the stricter; one that is gone is forgotten.

import { deepEqual, equal } from "node:assert/strict"
import type { Desk } from "./desk.ts"
import { theme } from "./kit.ts"
import { rate, rates, rolling, slots, through } from "./policies.ts"

const gates = through("vendor")
const base = async (desk: Desk) => (await desk.store.limits({ names: ["vendor"] })).limits[0]?.base
const logged = async (desk: Desk) => (await desk.store.limitChanges({ limit: "vendor", beforeNumber: null, count: 99 })).changes.length

export const gatesDeclarationsTests = theme("gates-declarations", {
  "limits are listed by name, with what is declared and how much waits": async (bench) => {
    await bench.declare("vendor", slots(1))
    await bench.declare("other", rolling(2, 1_000))
    await bench.submitAll(["a", "a", "b"].map((key) => ({ gates: through("vendor", key) })))
    const { limits, nowMs } = await bench.store.limits({ names: null })
    const declared = (policy: unknown) => ({ base: policy, declarations: [{ policy, seenAtMs: nowMs }], settings: {} })
    deepEqual(limits, [
      { name: "other", ...declared(rolling(2, 1_000)), gateCount: 0, waitingTasks: 0 },
      { name: "vendor", ...declared(slots(1)), gateCount: 2, waitingTasks: 3 },
    ])
    await bench.worker().claim()
    deepEqual(
      (await bench.store.limits({ names: ["vendor", "nobody"] })).limits.map(({ name, waitingTasks }) => [name, waitingTasks]),
      [["vendor", 1]],
    )
  },

  "a change of the code holds once nothing else is heard, and is logged": async (bench) => {
    await bench.declare("vendor", slots(1))
    await bench.submitMany(5, { gates })
    const worker = bench.worker()
    equal((await worker.claim()).length, 1)
    await bench.world.advance(90_000)
    deepEqual(await bench.declare("vendor", slots(3)), { nowMs: bench.world.wallMs(), disagreements: [] })
    equal(await logged(bench), 2)
    equal((await worker.claim()).length, 3)
    await bench.declare("vendor", slots(3))
    equal(await logged(bench), 2)
  },

  "the stricter of two holds while both are heard, whichever came first": async (bench) => {
    for (const [first, second] of [
      [slots(1), slots(4)],
      [slots(4), slots(1)],
    ] as const) {
      deepEqual((await bench.declare("vendor", first)).disagreements, [])
      deepEqual((await bench.declare("vendor", second)).disagreements, ["vendor"])
      deepEqual(await base(bench), slots(1))
      deepEqual((await bench.declare("vendor", first)).disagreements, ["vendor"])
      await bench.world.advance(600_000)
      await bench.declare("vendor", slots(9))
      await bench.world.advance(600_000)
    }
  },

  "what two demand is what both demand": async (bench) => {
    await bench.declare("vendor", slots(3, rate(5, 1_000), rate(50, 60_000)))
    await bench.declare("vendor", rates(rate(2, 1_000), rate(100, 3_600_000)))
    const { rates: both = [], concurrency } = (await base(bench)) ?? {}
    deepEqual(
      [...both].sort((a, b) => a.limit - b.limit),
      [rate(2, 1_000), rate(50, 60_000), rate(100, 3_600_000)],
    )
    equal(concurrency, 3)
  },

  "the looser holds 90 seconds after the stricter was last heard, for those who wait too": async (bench) => {
    await bench.declare("vendor", slots(1))
    await bench.declare("vendor", slots(3))
    await bench.submitMany(5, { gates })
    const worker = bench.worker()
    const claim = () => worker.exchange({ leaseMs: 3_600_000, claim: worker.nextClaim() })
    equal((await claim()).claimed.length, 1)
    await bench.world.advance(60_000)
    await bench.declare("vendor", slots(1))
    await bench.declare("vendor", slots(3))
    await bench.world.advance(89_999)
    await bench.declare("vendor", slots(3))
    const { claimed, nextAtMs } = await claim()
    deepEqual([claimed, nextAtMs], [[], bench.world.wallMs() + 1])
    await bench.world.advance(1)
    equal((await claim()).claimed.length, 2)
    deepEqual(await base(bench), slots(3))
  },

  "the last word stays when nobody is heard any more": async (bench) => {
    await bench.declare("vendor", slots(1))
    await bench.world.advance(86_400_000)
    deepEqual(await base(bench), slots(1))
    await bench.submitMany(2, { gates })
    equal((await bench.worker().claim()).length, 1)
  },

  "a stricter declaration holds at once": async (bench) => {
    await bench.declare("vendor", rolling(5, 10_000))
    await bench.submitMany(5, { gates })
    const worker = bench.worker()
    equal((await worker.claim({ max: 2 })).length, 2)
    await bench.declare("vendor", rolling(2, 10_000))
    const { claimed, nextAtMs } = await worker.look()
    deepEqual([claimed, nextAtMs], [[], bench.world.wallMs() + 10_000])
  },

  "a deploy does not touch what people have set": async (bench) => {
    await bench.declare("vendor", slots(1))
    await bench.change("vendor", { kind: "set", override: { concurrency: 4 }, untilMs: null })
    await bench.world.advance(90_000)
    await bench.declare("vendor", slots(2))
    deepEqual([(await bench.gate("vendor")).slots, await base(bench)], [{ held: 0, of: 4 }, slots(2)])
  },

  "gates are listed by key, page by page": async (bench) => {
    await bench.declare("vendor", slots(1))
    const keys = Array.from({ length: 7 }, (_, i) => `key-${(i * 3) % 7}`)
    await bench.submitAll(keys.map((key) => ({ gates: through("vendor", key) })))
    await bench.submit({ gates: through("other") })
    const found: string[] = []
    let afterKey: string | null = null
    do {
      const page: Awaited<ReturnType<Desk["store"]["gates"]>> = await bench.store.gates({ limit: "vendor", keys: null, afterKey, count: 3 })
      equal(page.gates.length <= 3, true)
      found.push(...page.gates.map(({ key }) => key))
      afterKey = page.nextAfterKey
    } while (afterKey !== null)
    deepEqual(found, keys.sort())
    const asked = await bench.store.gates({ limit: "vendor", keys: ["key-2", "new"], afterKey: null, count: 9 })
    deepEqual(
      asked.gates.map(({ gate, waitingTasks }) => [gate, waitingTasks]),
      [
        ["vendor/key-2", 1],
        ["vendor/new", 0],
      ],
    )
    deepEqual((await bench.store.gates({ limit: "nobody", keys: null, afterKey: null, count: 9 })).gates, [])
  },
})
