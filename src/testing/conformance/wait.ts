// Wait returns when something may have become claimable or cancelled since it was called. It may return for nothing; it
// never misses, so each test starts to wait first and then makes something happen.

import { deepEqual, equal } from "node:assert/strict"
import type { Desk } from "./desk.ts"
import { theme } from "./kit.ts"
import { released, rescheduled } from "./outcomes.ts"
import { leaseMs } from "./test-worker.ts"

const wait = (desk: Desk, workerId = "waiting", signal = new AbortController().signal) => desk.store.wait({ workerId }, signal)

export const waitTests = theme("wait", {
  "a submission wakes whoever waits": async (bench) => {
    const woken = [wait(bench, "a"), wait(bench, "b"), wait(bench, "c")]
    await bench.submit()
    await bench.until(Promise.all(woken), "three waiting workers to be woken by a submission")
  },

  "a submission on another connection wakes": async (bench) => {
    const other = await bench.connect()
    const woken = wait(other)
    await bench.submit()
    await bench.until(woken, "to be woken from another connection")
    equal((await other.worker().claim()).length, 1)
  },

  "who waits before claiming misses nothing": async (bench) => {
    const other = await bench.connect()
    const worker = bench.worker()
    for (let round = 0; round < 5; round++) {
      const woken = wait(bench, worker.id)
      deepEqual(await worker.claim(), [])
      await other.submit()
      await bench.until(woken, "to be woken by what came after the claim")
      equal((await worker.claim()).length, 1)
    }
  },

  "a task that is given back wakes": async (bench) => {
    for (const outcome of [released(), rescheduled()]) {
      await bench.submit()
      const busy = bench.worker(outcome.kind)
      const held = await busy.claimOne()
      const woken = wait(bench)
      await busy.settle(held, outcome)
      await bench.until(woken, `to be woken by a ${outcome.kind} task`)
      await bench.move("cancel", held)
    }
  },

  "a retry by hand wakes": async (bench) => {
    const task = await bench.submit()
    await bench.move("cancel", task)
    const woken = wait(bench)
    await bench.move("retry", task)
    await bench.until(woken, "to be woken by a retry")
  },

  "a sweep that brings a task back wakes": async (bench) => {
    await bench.submit()
    await bench.worker("gone").claimOne()
    await bench.world.advance(leaseMs)
    const woken = wait(bench)
    equal((await bench.sweep()).rescued, 1)
    await bench.until(woken, "to be woken by a rescued task")
  },

  "a request to stop wakes the worker that runs the task": async (bench) => {
    await bench.submit()
    const worker = bench.worker()
    const held = await worker.claimOne()
    const other = await bench.connect()
    const woken = wait(bench, worker.id)
    await other.move("cancel", held)
    await bench.until(woken, "to be woken by a request to stop")
    deepEqual(await worker.cancelled(), [{ id: held.id, fence: held.fence }])
  },

  "the signal ends the wait, and is no error": async (bench) => {
    const stop = new AbortController()
    const ended = wait(bench, "waiting", stop.signal)
    stop.abort()
    await bench.until(ended, "the wait to end with its signal")
    await bench.until(wait(bench, "waiting", stop.signal), "a wait to end at once when its signal has fired already")
  },
})
