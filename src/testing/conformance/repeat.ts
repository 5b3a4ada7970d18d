// Every call can be repeated: nobody knows whether a call whose answer was lost was carried out, so asking again must be
// harmless and must answer like the first time.

import { deepEqual, equal, ok } from "node:assert/strict"
import { sameTasks } from "./assertions.ts"
import { theme } from "./kit.ts"
import { completed, failed, released, rescheduled, retried, said, throttled } from "./outcomes.ts"

export const repeatTests = theme("repeat", {
  "a submission that is sent again stores nothing new": async (bench) => {
    const tasks = [bench.newTask(), bench.newTask({ idempotencyKey: "k" }), bench.newTask({ schedule: { inMs: 1_000 } })]
    const first = await bench.store.submit({ tasks })
    ok(first.kind === "ok")
    await bench.world.advance(500)
    const again = await bench.store.submit({ tasks })
    ok(again.kind === "ok")
    const { nowMs } = again
    const forecasts = first.tasks.map(({ forecast }) =>
      forecast?.basis === "now" ? { ...forecast, atMs: nowMs, latestMs: nowMs } : forecast,
    )
    deepEqual(
      again.tasks,
      first.tasks.map(({ task }, i) => ({ task, created: false, forecast: forecasts[i] })),
    )
    deepEqual(await bench.counts(), { pending: 3 })
    equal((await bench.worker().claim()).length, 2)
  },

  "a submission that is sent again when its task has moved on gets it as it is now": async (bench) => {
    const asked = bench.newTask()
    await bench.store.submit({ tasks: [asked] })
    const worker = bench.worker()
    const held = await worker.claimOne()
    const again = await bench.store.submit({ tasks: [asked] })
    deepEqual(again, { kind: "ok", nowMs: bench.world.wallMs(), tasks: [{ task: held, created: false, forecast: null }] })
  },

  "a task that stands in one batch twice is stored once": async (bench) => {
    const asked = bench.newTask()
    const answer = await bench.store.submit({ tasks: [asked, bench.newTask(), asked] })
    ok(answer.kind === "ok")
    deepEqual(
      answer.tasks.map(({ created }) => created),
      [true, true, false],
    )
    deepEqual(answer.tasks[2]?.task, answer.tasks[0]?.task)
    deepEqual(await bench.counts(), { pending: 2 })
    equal((await bench.worker().claim()).length, 2)
  },

  "a known id with another input is a conflict": async (bench) => {
    const asked = bench.newTask({ input: "1" })
    const existing = await bench.submit(asked)
    deepEqual(await bench.store.submit({ tasks: [{ ...asked, input: "2" }] }), { kind: "conflict", index: 0, existing })
  },

  "one submission sent many times at once makes one task": async (bench) => {
    const asked = bench.newTask()
    const other = await bench.connect()
    const answers = await bench.together([bench, other, bench, other].map((desk) => desk.store.submit({ tasks: [asked] })))
    const created = answers.flatMap((answer) => (answer.kind === "ok" ? answer.tasks : [])).filter((task) => task.created)
    equal(created.length, 1)
    deepEqual(await bench.counts(), { pending: 1 })
  },

  "a claim that is asked again gets what it got, and takes nothing more": async (bench) => {
    await bench.submitMany(10)
    const worker = bench.worker()
    const claim = worker.nextClaim({ max: 3 })
    const { claimed, isRepeat } = await worker.exchange({ claim })
    equal(isRepeat, undefined)
    await bench.world.advance(100)
    const other = await bench.connect()
    for (const desk of [bench, other]) {
      const again = await desk.worker(worker.id).exchange({ claim })
      deepEqual(again.claimed, claimed)
      equal(again.more, true, "expected to be told to ask anew: nobody knows what else there is")
      equal(again.isRepeat, true)
    }
    deepEqual(await bench.counts(), { pending: 7, running: 3 })
  },

  "a claim that is asked again does not get what is settled since": async (bench) => {
    await bench.submitMany(3)
    const worker = bench.worker()
    const claim = worker.nextClaim()
    const { claimed } = await worker.exchange({ claim })
    const [first, second, third] = claimed
    ok(first && second && third)
    await worker.settle(second, completed())
    sameTasks((await worker.exchange({ claim })).claimed, [first, third])
    await worker.settle(first, released())
    sameTasks((await worker.exchange({ claim })).claimed, [third])
    deepEqual(await bench.counts(), { pending: 1, running: 1, completed: 1 })
  },

  "a claim that arrives late, after a younger one, takes nothing": async (bench) => {
    await bench.submitMany(2)
    const worker = bench.worker()
    const [late, young] = [worker.nextClaim({ max: 1 }), worker.nextClaim({ max: 1 })]
    const { claimed } = await worker.exchange({ claim: young })
    equal(claimed.length, 1)
    deepEqual((await worker.exchange({ claim: late })).claimed, [])
    deepEqual(await bench.counts(), { pending: 1, running: 1 })
  },

  "an older claim that is asked again gets its own tasks, not those of a younger one": async (bench) => {
    await bench.submitMany(4)
    const worker = bench.worker()
    const [first, second] = [worker.nextClaim({ max: 2 }), worker.nextClaim({ max: 2 })]
    const one = await worker.exchange({ claim: first })
    const two = await worker.exchange({ claim: second })
    sameTasks((await worker.exchange({ claim: first })).claimed, one.claimed)
    sameTasks((await worker.exchange({ claim: second })).claimed, two.claimed)
  },

  "a claim that found nothing finds nothing when it is asked again": async (bench) => {
    const worker = bench.worker()
    const claim = worker.nextClaim()
    deepEqual((await worker.exchange({ claim })).claimed, [])
    await bench.submit()
    deepEqual((await worker.exchange({ claim })).claimed, [])
    equal((await worker.claim()).length, 1)
  },

  "each worker counts for itself": async (bench) => {
    const tasks = await bench.submitMany(2)
    sameTasks(await bench.worker("a").claim({ number: 5, max: 1 }), tasks.slice(0, 1))
    sameTasks(await bench.worker("b").claim({ number: 1, max: 1 }), tasks.slice(1))
  },

  "a sweep does not make a store forget a worker's last claim": async (bench) => {
    await bench.submitMany(2)
    const worker = bench.worker()
    const claim = worker.nextClaim({ max: 1 })
    const { claimed } = await worker.exchange({ claim })
    await bench.sweep()
    sameTasks((await worker.exchange({ claim })).claimed, claimed)
    deepEqual(await bench.counts(), { pending: 1, running: 1 })
  },

  "a settle that is sent again is answered like the first time, and changes nothing": async (bench) => {
    const worker = bench.worker()
    const later = 60_000
    for (const outcome of [completed("1"), failed(), retried(later), rescheduled(later), throttled(later), released()]) {
      const type = outcome.kind
      const task = await bench.submit({ type })
      const held = await worker.claimOne({ types: [{ type, room: 1 }] })
      const first = await worker.settle(held, outcome)
      const settled = await bench.get(task)
      await bench.world.advance(10)
      deepEqual(await worker.settle(held, outcome), first)
      deepEqual(await bench.get(task), settled)
      equal((await bench.history(task)).length, 3)
    }
  },

  "another outcome under a fence that has settled is stale": async (bench) => {
    await bench.submit()
    const worker = bench.worker()
    const held = await worker.claimOne()
    await worker.settle(held, completed("1"))
    for (const outcome of [failed(), retried(), rescheduled(), released()]) deepEqual(await worker.settle(held, outcome), { kind: "stale" })
    equal((await bench.get(held)).output, "1")
  },

  "a settle that is sent again after the next claim is stale": async (bench) => {
    await bench.submit()
    const worker = bench.worker()
    const first = await worker.claimOne()
    const second = await worker.again(first, retried())
    deepEqual(await worker.settle(first, retried()), { kind: "stale" })
    deepEqual(await bench.get(second), second)
  },

  "a whole exchange can be sent again": async (bench) => {
    await bench.submitMany(4)
    const worker = bench.worker()
    const [done, kept] = await worker.claim({ max: 2 })
    ok(done && kept)
    const request = {
      settles: [said(done, completed())],
      heartbeats: [{ id: kept.id, fence: kept.fence, progress: '"half"' }],
      claim: worker.nextClaim({ max: 1 }),
    }
    const first = await worker.exchange(request)
    const again = await worker.exchange(request)
    const { settled, claimed, cancelled, kept: beats } = first
    deepEqual(
      { settled: again.settled, claimed: again.claimed, cancelled: again.cancelled, kept: again.kept },
      { settled, claimed, cancelled, kept: beats },
    )
    deepEqual(await bench.counts(), { pending: 1, running: 2, completed: 1 })
  },
})
