// What a worker whose process has its hands full claims: nothing that passes gates, until it has got going with what it has.

import { deepEqual, equal } from "node:assert/strict"
import { describe, it } from "node:test"
import { defineLimit, defineTask } from "../../../src/index.ts"
import type { ExchangeRequest, Store } from "../../../src/store/index.ts"
import { testQueue } from "../../../src/testing/test-queue.ts"
import { VirtualWorld } from "../../../src/testing/virtual-world.ts"
import { untilCalm } from "../../../src/worker/calm.ts"
import { sleep } from "../../../src/world/index.ts"
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
  const turnsOf = async (turnsMs: readonly number[], leaseMs = 30_000) => {
    const { world, turns } = busyWorld(turnsMs)
    await untilCalm(world, { startWithinMs: 250, leaseMs })
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

  it("is not kept for longer than a short lease can spare: heartbeats go with the same exchange", async () => {
    equal(await turnsOf([30, 30, 30, 30, 30], 300), 2)
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

  /** What its claims asked for at most; each answer takes so long from the claim to the worker. */
  async function sizesOfClaims(answerMs: number, isGated = true): Promise<readonly number[]> {
    const tap = new Tap()
    const world = new VirtualWorld()
    const slots = defineLimit("slots", { concurrency: 1_000 })
    const work = defineTask("work", { limits: isGated ? [slots] : [], run: never })
    const slow = (store: Store): Store =>
      new Proxy(store, {
        get: (target, name) => {
          if (name !== "exchange") return Reflect.get(target, name, target)
          return async (request: ExchangeRequest) => {
            const answer = await target.exchange(request)
            await sleep(world, answerMs)
            return answer
          }
        },
      })
    const through = (store: Store) => slow(tap.through(store))
    const queue = await testQueue([work], { worker: { concurrency: 400 }, world, through })
    await world.settle()
    await queue.submitMany(work, Array(400).fill(null))
    await queue.advance("4s")
    await queue.close()
    const sizes = tap.exchanges.flatMap(({ claim }) => (claim ? [claim.max] : []))
    // The first was made before there was anything.
    return sizes.slice(1)
  }

  it("claims half of the most at gates at first, and twice as many once they have come soon", async () => {
    deepEqual((await sizesOfClaims(0)).slice(0, 3), [50, 100, 100])
  })

  it("claims fewer at gates where they come late, and as many as ever where nothing is charged", async () => {
    const sizes = await sizesOfClaims(200)
    deepEqual(sizes.slice(0, 2), [20, 20])
    // All take as long: it is the way.
    deepEqual(sizes.slice(10, 13), [40, 40, 40])
    deepEqual(await sizesOfClaims(200, false), [400, 300, 200, 100])
  })

  it("claims at gates once its turns are short again", async () => {
    equal(await turnsBeforeTheNextClaim(true), 4)
  })

  it("claims without gates in the next turn: nothing is charged there", async () => {
    equal(await turnsBeforeTheNextClaim(false), 1)
  })
})
