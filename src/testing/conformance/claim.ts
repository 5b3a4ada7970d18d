// Claim: a task goes to one worker, with a lease and the next fence, and only what was asked for is taken.

import { deepEqual, equal, ok } from "node:assert/strict"
import { ids, sameTasks } from "./assertions.ts"
import { theme } from "./kit.ts"
import { completed, released, said } from "./outcomes.ts"
import { leaseMs } from "./test-worker.ts"

export const claimTests = theme("claim", {
  "a claimed task is running, with a lease, the next fence and one more attempt": async (bench) => {
    const task = await bench.submit()
    await bench.world.advance(100)
    const worker = bench.worker()
    const answer = await worker.exchange({ claim: worker.nextClaim() })
    const nowMs = bench.world.wallMs()
    const running = {
      ...task,
      status: "running",
      updatedAtMs: nowMs,
      startedAtMs: nowMs,
      attempt: 1,
      fence: 1,
      version: 2,
      workerId: worker.id,
      claimNumber: 1,
      leaseExpiresAtMs: nowMs + leaseMs,
    }
    const { touched, ...rest } = answer
    deepEqual(rest, {
      nowMs,
      settled: [],
      kept: [],
      claimed: [running],
      cancelled: [],
      more: false,
      nextAtMs: null,
      blockedBy: null,
      unrouted: [],
      waitedMs: 0,
    })
    ok(touched >= 1, "expected a claim to say what it looked at")
    deepEqual(await bench.get(task), running)
  },

  "what one worker has, no other gets": async (bench) => {
    const task = await bench.submit()
    const other = await bench.connect()
    sameTasks(await bench.worker("a").claim(), [task])
    deepEqual(await bench.worker("b").claim(), [])
    deepEqual(await other.worker("c").claim(), [])
    deepEqual(await bench.worker("a2").claim({ number: 7 }), [])
    equal((await bench.get(task)).fence, 1)
  },

  "workers that claim at once share the tasks out, each to one": async (bench) => {
    const tasks = await bench.submitMany(60)
    const desks = [bench, await bench.connect(), await bench.connect()]
    const calls = Array.from({ length: 12 }, (_, i) => (desks[i % 3] ?? bench).worker(`w${i}`).claim({ max: 7 }))
    const claimed = (await bench.together(calls)).flat()
    equal(claimed.length, 60)
    deepEqual(ids(claimed).sort(), ids(tasks).sort())
    deepEqual(await bench.counts(), { running: 60 })
  },

  "only the types that were asked for are claimed": async (bench) => {
    const [mail, resize] = await bench.submitAll([{ type: "mail" }, { type: "resize" }, { type: "mai" }, { type: "mail2" }])
    ok(mail && resize)
    const types = ["resize", "mail", "unknown"].map((type) => ({ type, room: 10 }))
    sameTasks(await bench.worker().claim({ types }), [mail, resize])
    deepEqual(await bench.counts(), { pending: 2, running: 2 })
  },

  "no more of a type is claimed than there is room for it": async (bench) => {
    await bench.submitMany(5, { type: "mail" })
    await bench.submitMany(5, { type: "resize" })
    await bench.submitMany(5, { type: "report" })
    const types = [
      { type: "mail", room: 2 },
      { type: "resize", room: 3 },
      { type: "report", room: 0 },
    ]
    const claimed = await bench.worker().claim({ types })
    const count = (type: string) => claimed.filter((task) => task.type === type).length
    deepEqual([count("mail"), count("resize"), count("report")], [2, 3, 0])
  },

  "a type that is named twice hands no task out twice": async (bench) => {
    const tasks = await bench.submitMany(3)
    const types = [1, 2].map(() => ({ type: "mail", room: 5 }))
    sameTasks(await bench.worker().claim({ types }), tasks)
    deepEqual(await bench.counts(), { running: 3 })
  },

  "no more is claimed than `max`, and `more` says that something is left": async (bench) => {
    await bench.submitMany(3)
    const worker = bench.worker()
    const first = await worker.exchange({ claim: worker.nextClaim({ max: 2 }) })
    deepEqual([first.claimed.length, first.more], [2, true])
    const second = await worker.exchange({ claim: worker.nextClaim({ max: 2 }) })
    deepEqual([second.claimed.length, second.more], [1, false])
    const third = await worker.exchange({ claim: worker.nextClaim({ max: 2 }) })
    deepEqual([third.claimed.length, third.more], [0, false])
  },

  "a claim for nothing takes nothing": async (bench) => {
    await bench.submit()
    const worker = bench.worker()
    deepEqual(await worker.claim({ max: 0 }), [])
    deepEqual(await worker.claim({ types: [] }), [])
    deepEqual(await worker.claim({ types: [{ type: "mail", room: 0 }] }), [])
    deepEqual((await worker.exchange({})).claimed, [])
    deepEqual(await bench.counts(), { pending: 1 })
    equal((await worker.claim()).length, 1)
  },

  "a scheduled task is claimed when its time has come, not before": async (bench) => {
    const task = await bench.submit({ schedule: { inMs: 60_000 } })
    const worker = bench.worker()
    await bench.world.advance(59_999)
    deepEqual(await worker.claim(), [])
    await bench.world.advance(1)
    sameTasks(await worker.claim(), [task])
  },

  "`nextAtMs` is when the next scheduled task of the asked types is due": async (bench) => {
    const nowMs = bench.world.wallMs()
    const worker = bench.worker()
    const nextAtMs = async (...types: string[]) =>
      (await worker.exchange({ claim: worker.nextClaim({ types: types.map((type) => ({ type, room: 1 })) }) })).nextAtMs
    equal(await nextAtMs("mail"), null)
    await bench.submitAll([
      { type: "mail", schedule: { inMs: 90_000 } },
      { type: "mail", schedule: { inMs: 60_000 } },
      { type: "resize", schedule: { inMs: 30_000 } },
    ])
    equal(await nextAtMs("mail"), nowMs + 60_000)
    equal(await nextAtMs("mail", "resize"), nowMs + 30_000)
    await bench.world.advance(60_000)
    equal(await nextAtMs("mail"), nowMs + 90_000)
  },

  "a claim after settling gets what became free in the same step": async (bench) => {
    const task = await bench.submit()
    const worker = bench.worker()
    const held = await worker.claimOne()
    const [next] = await bench.submitAll([{}])
    const answer = await worker.exchange({
      settles: [said(held, released("changed my mind"))],
      claim: worker.nextClaim({ max: 1 }),
    })
    deepEqual(answer.settled, [{ kind: "ok", status: "pending" }])
    sameTasks(answer.claimed, [task])
    equal(answer.claimed[0]?.fence, 2)
    ok(next)
    equal(await bench.status(next), "pending")
  },

  "each claim of a task has a higher fence": async (bench) => {
    await bench.submit()
    const worker = bench.worker()
    let held = await worker.claimOne()
    for (const fence of [2, 3, 4]) {
      held = await worker.again(held, { kind: "rescheduled", delayMs: 0, extendExpirationMs: 0, reason: null })
      equal(held.fence, fence)
      equal(held.attempt, fence)
    }
    deepEqual(await worker.settle(held, completed()), { kind: "ok", status: "completed" })
  },
})
