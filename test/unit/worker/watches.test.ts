// The small parts that wait: the waker of the loop, and the watch on leases.

import { deepEqual, equal } from "node:assert/strict"
import { describe, it } from "node:test"
import { VirtualWorld } from "../../../src/testing/virtual-world.ts"
import type { Run } from "../../../src/worker/run.ts"
import { RunWatch } from "../../../src/worker/run-watch.ts"
import { Waker } from "../../../src/worker/waker.ts"

/** Sleeps, and tells when it has woken up. */
function sleeping(waker: Waker, untilMs: number | null) {
  const state = { hasWoken: false }
  waker.sleepUntil(untilMs).then(() => {
    state.hasWoken = true
  })
  return state
}

describe("the waker", () => {
  it("sleeps until it is woken, or until the time", async () => {
    const world = new VirtualWorld()
    const waker = new Waker(world)
    const first = sleeping(waker, null)
    await world.advance(1_000_000)
    equal(first.hasWoken, false)
    waker.wake()
    await world.settle()
    equal(first.hasWoken, true)
    const second = sleeping(waker, world.monotonicMs() + 50)
    await world.advance(49)
    equal(second.hasWoken, false)
    await world.advance(1)
    equal(second.hasWoken, true)
  })

  it("remembers a call that came while nobody slept, once", async () => {
    const world = new VirtualWorld()
    const waker = new Waker(world)
    waker.wake()
    waker.wake()
    const first = sleeping(waker, null)
    await world.settle()
    equal(first.hasWoken, true)
    const second = sleeping(waker, null)
    await world.settle()
    equal(second.hasWoken, false)
  })

  it("leaves no timer when it is woken early", async () => {
    const world = new VirtualWorld()
    const waker = new Waker(world)
    sleeping(waker, 1_000)
    waker.wake()
    await world.settle()
    equal(world.armedTimers, 0)
  })
})

describe("the watch on runs", () => {
  function watched(leaseEnds: Readonly<Record<string, number>>) {
    const world = new VirtualWorld()
    const runs = new Map(Object.entries(leaseEnds).map(([id, leaseEndsAtMs]) => [id, { task: { id }, leaseEndsAtMs } as Run]))
    const lost: string[] = []
    const watch = new RunWatch(world, {
      all: () => [...runs.values()],
      endOf: ({ leaseEndsAtMs }) => leaseEndsAtMs,
      over: ({ task }) => {
        lost.push(`${task.id} at ${world.monotonicMs()}`)
        runs.delete(task.id)
      },
    })
    for (const run of runs.values()) watch.watch(run.leaseEndsAtMs)
    return { world, runs, lost, watch }
  }

  it("loses each run when its lease ends, whatever order they came in", async () => {
    const { world, lost } = watched({ late: 100, early: 50, between: 70 })
    await world.advance(1_000)
    deepEqual(lost, ["early at 50", "between at 70", "late at 100"])
    equal(world.armedTimers, 0)
  })

  it("looks again when a lease was renewed meanwhile", async () => {
    const { world, runs, lost } = watched({ run: 50 })
    const run = runs.get("run")
    if (run) run.leaseEndsAtMs = 80
    await world.advance(79)
    deepEqual(lost, [])
    await world.advance(1)
    deepEqual(lost, ["run at 80"])
  })

  it("needs one timer for any number of runs, and none once stopped", async () => {
    const { world, lost, watch } = watched({ a: 10, b: 20, c: 30 })
    equal(world.armedTimers, 1)
    watch.stop()
    await world.advance(100)
    deepEqual([lost, world.armedTimers], [[], 0])
  })
})
