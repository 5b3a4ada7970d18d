// Budgets: what one step may do is bounded, and what is left over is told and done by the next.

import { deepEqual, equal, ok } from "node:assert/strict"
import { budgets } from "../../store/contract.ts"
import { sameTasks } from "./assertions.ts"
import { everything } from "./desk.ts"
import { theme } from "./kit.ts"
import { leaseMs } from "./test-worker.ts"

export const budgetTests = theme("budgets", {
  "the largest batch is stored in one step, in order": async (bench) => {
    const tasks = await bench.submitMany(budgets.submitTasks)
    equal(tasks.length, budgets.submitTasks)
    deepEqual(await bench.counts(), { pending: budgets.submitTasks })
    sameTasks((await bench.store.list({ ...everything, limit: 3 })).tasks, tasks.slice(-3).toReversed())
    sameTasks(await bench.worker().claim({ max: 3 }), tasks.slice(0, 3))
  },

  "the largest payload is stored in one step": async (bench) => {
    const input = JSON.stringify("x".repeat(budgets.submitBytes / 4 - 1_000))
    await bench.submitMany(4, { input })
    equal((await bench.worker().claim()).filter((task) => task.input === input).length, 4)
  },

  "a claim takes no more than its budget, whatever was asked for": async (bench) => {
    const tasks = await bench.submitMany(budgets.claimTasks + 20)
    const worker = bench.worker()
    const asked = { types: [{ type: "mail", room: 10_000 }], max: 10_000 }
    const first = await worker.exchange({ claim: worker.nextClaim(asked) })
    deepEqual([first.claimed.length, first.more], [budgets.claimTasks, true])
    const second = await worker.exchange({ claim: worker.nextClaim(asked) })
    deepEqual([second.claimed.length, second.more], [20, false])
    sameTasks([...first.claimed, ...second.claimed], tasks)
  },

  "a claim looks at little more than it takes, however much waits in however many lanes": async (bench) => {
    const lane = (flow: number, key: number) => ({ flow: `flow-${flow}`, gates: [{ limit: "vendor", key: `key-${key}`, cost: 1 }] })
    await bench.submitAll(Array.from({ length: 300 }, (_, i) => lane(i, 0)))
    await bench.submitAll(Array.from({ length: 300 }, (_, i) => lane(0, i)))
    await bench.submitMany(300, { type: "resize" })
    await bench.submitMany(300, { type: "resize", schedule: { inMs: 60_000 } })
    const worker = bench.worker()
    for (const max of [1, 5, 20, 50]) {
      const types = ["mail", "resize"].map((type) => ({ type, room: 100 }))
      const { claimed, touched } = await worker.exchange({ claim: worker.nextClaim({ types, max }) })
      equal(claimed.length, max)
      ok(
        touched >= max && touched <= 20 + 10 * max,
        `expected a claim of ${max} to look at ${max} to ${20 + 10 * max} records, got ${touched}`,
      )
    }
  },

  "what comes due all at once is moved up in steps, and none is forgotten": async (bench) => {
    for (const max of [30, budgets.claimTasks]) {
      const tasks = await bench.submitMany(budgets.promotions + 50, { schedule: { inMs: 1_000 } })
      await bench.world.advance(1_000)
      const worker = bench.worker(`w${max}`)
      const claimed = []
      for (let calls = 0; calls < 40; calls++) {
        const answer = await worker.exchange({ claim: worker.nextClaim({ max }) })
        claimed.push(...answer.claimed)
        if (!answer.more) break
      }
      sameTasks(claimed, tasks)
    }
  },

  "a sweep does no more than its budget, and says that there is more": async (bench) => {
    const count = budgets.stepRows + 30
    await bench.submitMany(count, { expiry: { inMs: 1_000 } })
    await bench.world.advance(1_000)
    const first = await bench.sweep()
    deepEqual([first.expired, first.more], [budgets.stepRows, true])
    equal((await bench.sweep()).expired, 30)
    deepEqual(await bench.counts(), { expired: count })
    await bench.world.advance(1_000)
    const third = await bench.sweep({ retentionMs: 1_000 })
    deepEqual([third.removed, third.more], [budgets.stepRows, true])
    equal((await bench.sweep({ retentionMs: 1_000 })).removed, 30)
    deepEqual(await bench.counts(), {})
  },

  "the budget of a sweep is one for all that it does": async (bench) => {
    const worker = bench.worker()
    await bench.submitMany(300)
    for (let i = 0; i < 3; i++) await worker.claim()
    await bench.submitMany(300, { expiry: { inMs: 1_000 } })
    await bench.world.advance(leaseMs)
    const first = await bench.sweep()
    ok(first.rescued + first.expired <= budgets.stepRows, `expected at most ${budgets.stepRows} rows, got ${first.rescued + first.expired}`)
    equal(first.more, true)
    const second = await bench.sweep()
    deepEqual([first.rescued + second.rescued, first.expired + second.expired], [300, 300])
  },

  "a claim that meets many overdue tasks gets through to the first that is not": async (bench) => {
    await bench.submitMany(budgets.stepRows + 30, { expiry: { inMs: 1_000 } })
    const good = await bench.submit()
    await bench.world.advance(1_000)
    const worker = bench.worker()
    const first = await worker.exchange({ claim: worker.nextClaim() })
    ok(((await bench.counts()).expired ?? 0) <= budgets.stepRows)
    ok(first.claimed.length === 1 || first.more, "expected the task, or to be told to ask again")
    const claimed = first.claimed.length === 1 ? first.claimed : await worker.claim()
    sameTasks(claimed, [good])
  },

  "a page of a list is bounded": async (bench) => {
    await bench.submitMany(budgets.submitTasks)
    await bench.submitMany(10)
    const { tasks, nextBeforeSeq } = await bench.store.list({ ...everything, limit: 100_000 })
    ok(tasks.length <= budgets.listPage, `expected at most ${budgets.listPage}, got ${tasks.length}`)
    ok(nextBeforeSeq !== null)
    equal((await bench.list({ limit: 100_000 })).length, budgets.submitTasks + 10)
  },
})
