// What a worker whose process has its hands full claims: nothing that passes gates, until it has got going with what it has.

import { deepEqual, equal } from "node:assert/strict"
import { describe, it } from "node:test"
import { defineLimit, defineTask } from "../../../src/index.ts"
import { testQueue } from "../../../src/testing/test-queue.ts"
import { VirtualWorld } from "../../../src/testing/virtual-world.ts"
import { untilCalm } from "../../../src/worker/calm.ts"
import { never, Tap } from "./kit.ts"

/** A world whose turns take so long each, and then no time. */
function busyWorld(turnsMs: readonly number[]) {
  const world = new VirtualWorld()
  const { turn, monotonicMs } = world
  const left = [...turnsMs]
  let spentMs = 0
  let turns = 0
  world.monotonicMs = () => monotonicMs.call(world) + spentMs
  world.turn = (run) =>
    turn.call(world, () => {
      turns++
      spentMs += left.shift() ?? 0
      run()
    })
  return { world, turns: () => turns, makeBusy: (ms: readonly number[]) => void left.push(...ms) }
}

describe("until calm", () => {
  const turnsOf = async (turnsMs: readonly number[]) => {
    const { world, turns } = busyWorld(turnsMs)
    await untilCalm(world, 250)
    return turns()
  }

  it("takes one turn where that is short", async () => {
    equal(await turnsOf([]), 1)
    equal(await turnsOf([24]), 1)
  })

  it("waits for the first short one", async () => {
    equal(await turnsOf([60, 25, 24, 60]), 3)
  })

  it("is not kept for longer than a claim has to start within", async () => {
    equal(await turnsOf([100, 100, 100, 100, 100]), 3)
    equal(await turnsOf([300, 300]), 1)
  })
})

describe("a worker with its hands full", () => {
  /** How many turns it lets pass before it claims what has come behind the first task. */
  async function turnsBeforeTheNextClaim(isGated: boolean): Promise<number> {
    const tap = new Tap()
    const { world, turns, makeBusy } = busyWorld([])
    const slots = defineLimit("slots", { concurrency: 10 })
    const work = defineTask("work", { limits: isGated ? [slots] : [], run: never })
    const queue = await testQueue([work], { worker: { concurrency: 10 }, through: tap.through, world })
    await queue.submit(work, 1)
    await world.settle()
    tap.calls.length = 0
    const before = turns()
    makeBusy([60, 60, 60])
    await queue.submit(work, 2)
    let claimedAfter = -1
    for (let i = 0; i < 20 && claimedAfter < 0; i++) {
      await new Promise<void>((resolve) => setImmediate(resolve))
      if (tap.exchanges.some(({ claim }) => claim !== null)) claimedAfter = turns() - before
    }
    deepEqual((await queue.counts()).running, 2)
    await queue.close()
    return claimedAfter
  }

  it("claims at gates once its turns are short again", async () => {
    equal(await turnsBeforeTheNextClaim(true), 4)
  })

  it("claims without gates in the next turn: nothing is charged there", async () => {
    equal(await turnsBeforeTheNextClaim(false), 1)
  })
})
