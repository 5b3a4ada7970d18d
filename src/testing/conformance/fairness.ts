// Between flows: the head's priority first, then turns. A flow that was away does not catch up on the turns it missed.

import { deepEqual, equal, ok } from "node:assert/strict"
import type { TaskRecord } from "../../task/index.ts"
import { ids, sameTasks } from "./assertions.ts"
import { theme } from "./kit.ts"
import { completed } from "./outcomes.ts"

const flows = (tasks: readonly TaskRecord[]) => tasks.map(({ flow }) => flow)
const share = (tasks: readonly TaskRecord[], flow: string) => tasks.filter((task) => task.flow === flow).length

export const fairnessTests = theme("fairness", {
  "flows take turns, however much one of them has waiting": async (bench) => {
    await bench.submitMany(50, { flow: "big" })
    await bench.submitMany(3, { flow: "small" })
    const claimed = await bench.worker().claim({ max: 8 })
    deepEqual(flows(claimed), ["big", "small", "big", "small", "big", "small", "big", "big"])
  },

  "turns go on from claim to claim, whoever claims": async (bench) => {
    await bench.submitMany(20, { flow: "big" })
    await bench.submitMany(5, { flow: "small" })
    const other = await bench.connect()
    const workers = [bench.worker("a"), other.worker("b")]
    const claimed: TaskRecord[] = []
    for (let i = 0; i < 10; i++) claimed.push(...((await workers[i % 2]?.claim({ max: 1 })) ?? []))
    equal(share(claimed, "small"), 5)
    equal(share(claimed.slice(0, 4), "small"), 2)
  },

  "many flows are all served before any is served twice": async (bench) => {
    const names = Array.from({ length: 40 }, (_, i) => `flow-${i}`)
    for (const flow of names.slice(0, 2)) await bench.submitMany(40, { flow })
    await bench.submitAll(names.slice(2).flatMap((flow) => [{ flow }, { flow }]))
    const worker = bench.worker()
    const claimed = [...(await worker.claim({ max: 15 })), ...(await worker.claim({ max: 25 }))]
    equal(new Set(flows(claimed)).size, 40)
  },

  "a flow that comes late gets its turn at once, and no more than its turns": async (bench) => {
    await bench.submitMany(40, { flow: "busy" })
    const worker = bench.worker()
    equal((await worker.claim({ max: 20 })).length, 20)
    await bench.submitMany(20, { flow: "late" })
    const claimed = await worker.claim({ max: 8 })
    ok(flows(claimed).slice(0, 2).includes("late"), "expected the late flow to be served within one turn")
    equal(share(claimed, "busy"), 4)
  },

  "a flow that was idle does not catch up": async (bench) => {
    const worker = bench.worker()
    await bench.submit({ flow: "idle" })
    await worker.settle(await worker.claimOne(), completed())
    await bench.submitMany(60, { flow: "busy" })
    equal((await worker.claim({ max: 30 })).length, 30)
    await bench.submitMany(30, { flow: "idle" })
    const claimed = await worker.claim({ max: 10 })
    ok(share(claimed, "busy") >= 4, `expected about half of the turns for the busy flow, got ${share(claimed, "busy")} of 10`)
  },

  "a flow that higher priorities kept waiting does not catch up": async (bench) => {
    const worker = bench.worker()
    await bench.submitMany(20, { flow: "patient" })
    await bench.submitMany(20, { flow: "pressing", priority: 5 })
    equal(share(await worker.claim({ max: 20 }), "pressing"), 20)
    await bench.submitMany(20, { flow: "pressing" })
    const claimed = await worker.claim({ max: 10 })
    ok(share(claimed, "pressing") >= 4, `expected about half of the turns for the pressing flow, got ${share(claimed, "pressing")} of 10`)
  },

  "priority comes before fairness": async (bench) => {
    const normal = await bench.submit({ flow: "a" })
    const urgent = await bench.submitMany(5, { flow: "b", priority: 1 })
    sameTasks(await bench.worker().claim(), [...urgent, normal])
  },

  "a flow is ranked by its best task": async (bench) => {
    const [first, other, urgent] = await bench.submitAll([{ flow: "a" }, { flow: "b" }, { flow: "b", priority: 1 }])
    ok(first && other && urgent)
    sameTasks(await bench.worker().claim({ max: 1 }), [urgent])
    sameTasks(await bench.worker("b").claim(), [first, other])
  },

  "the best task is found among many flows, and among many lanes of one": async (bench) => {
    const gate = (key: number) => [{ limit: "vendor", key: `key-${key}`, cost: 1 }]
    for (const split of [(n: number) => ({ flow: `flow-${n}` }), (n: number) => ({ flow: "one", gates: gate(n) })]) {
      const many = await bench.submitAll(Array.from({ length: 12 }, (_, n) => split(n)))
      const [urgent, late] = await bench.submitAll([
        { ...split(10), priority: 2 },
        { ...split(7), priority: 1 },
      ])
      ok(urgent && late)
      const worker = bench.worker(many[0]?.id)
      sameTasks(await worker.claim({ max: 1 }), [urgent])
      sameTasks(await worker.claim({ max: 1 }), [late])
      const rest = await worker.claim()
      deepEqual(ids(rest).sort(), ids(many).sort())
      sameTasks(rest.slice(0, 5), many.slice(0, 5))
    }
  },

  "a flow whose best task was taken away stands where its next one puts it": async (bench) => {
    const many = await bench.submitAll(Array.from({ length: 12 }, (_, n) => ({ flow: `flow-${n}` })))
    const urgent = await bench.submitAll([10, 11].map((n) => ({ flow: `flow-${n}`, priority: 2 })))
    for (const task of urgent) await bench.move("cancel", task)
    const worker = bench.worker()
    for (const task of many) sameTasks(await worker.claim({ max: 1 }), [task])
  },

  "types take turns like any flows": async (bench) => {
    await bench.submitMany(20, { type: "mail" })
    await bench.submitMany(20, { type: "resize" })
    const types = ["mail", "resize"].map((type) => ({ type, room: 100 }))
    const claimed = await bench.worker().claim({ types, max: 10 })
    equal(share(claimed, "resize"), 5)
  },

  "a flow of the same name in another type is another flow": async (bench) => {
    await bench.submitMany(10, { type: "mail", flow: "x" })
    await bench.submitMany(10, { type: "resize", flow: "x" })
    await bench.submitMany(10, { type: "resize", flow: "y" })
    const types = ["mail", "resize"].map((type) => ({ type, room: 100 }))
    const claimed = await bench.worker().claim({ types, max: 9 })
    deepEqual([claimed.filter(({ type }) => type === "mail").length, share(claimed, "y")], [3, 3])
  },

  "a flow with many lanes has no more turns than one with a single lane": async (bench) => {
    await bench.submitAll(Array.from({ length: 20 }, (_, i) => ({ flow: "wide", gates: [{ limit: "vendor", key: `key-${i}`, cost: 1 }] })))
    await bench.submitMany(20, { flow: "narrow" })
    const claimed = await bench.worker().claim({ max: 10 })
    equal(share(claimed, "narrow"), 5)
  },
})
