// A connection that is cut without a word is noticed; one that answers, however slowly, is left alone.

import assert from "node:assert/strict"
import { it } from "node:test"
import { keepPulse, mostSilentMs, pulseMs } from "../../src/stores/redis/pulse.ts"
import { VirtualWorld } from "../../src/testing/virtual-world.ts"

function start(ping: () => Promise<unknown>) {
  const world = new VirtualWorld()
  const seen = { pings: 0, over: 0 }
  const pulse = keepPulse(
    world,
    () => {
      seen.pings++
      return ping()
    },
    () => {
      seen.over++
    },
  )
  return { world, seen, pulse }
}

const silence = () => new Promise<never>(() => {})

it("an idle connection is pinged, and lives as long as that is answered", async () => {
  const { world, seen, pulse } = start(async () => "PONG")
  await world.advance(10 * pulseMs)
  assert.deepEqual(seen, { pings: 10, over: 0 })
  pulse.stop()
  assert.equal(world.armedTimers, 0)
})

it("an idle one that answers no ping is over, once", async () => {
  const { world, seen } = start(silence)
  await world.advance(pulseMs + mostSilentMs)
  assert.deepEqual(seen, { pings: 1, over: 1 })
  assert.equal(world.armedTimers, 0)
})

it("one that is written to again and again without an answer is over", async () => {
  const { world, seen, pulse } = start(silence)
  for (let second = 0; second < 50; second++) {
    pulse.sent()
    await world.advance(1_000)
  }
  assert.deepEqual(seen, { pings: 0, over: 1 })
})

it("one that answers late, but answers, is left alone and not pinged", async () => {
  const { world, seen, pulse } = start(silence)
  for (let round = 0; round < 20; round++) {
    const answered = pulse.sent()
    pulse.sent()
    await world.advance(mostSilentMs - 1)
    answered()
  }
  assert.deepEqual(seen, { pings: 0, over: 0 })
})
