// The store's clock never goes back and never stands still: behind its high-water mark it runs at half speed. Clocks of
// machines step and differ; leases and schedules must not notice.

import { deepEqual, equal, ok } from "node:assert/strict"
import { VirtualWorld } from "../virtual-world.ts"
import { theme } from "./kit.ts"
import { leaseMs } from "./test-worker.ts"

const hour = 3_600_000

export const clockTests = theme("clock", {
  "it follows the machine's clock": async (bench) => {
    equal(await bench.nowMs(), bench.world.wallMs())
    await bench.world.advance(1_234)
    equal(await bench.nowMs(), bench.world.wallMs())
    bench.world.stepClock(hour)
    equal(await bench.nowMs(), bench.world.wallMs())
    equal((await bench.submit()).createdAtMs, bench.world.wallMs())
  },

  "it does not go back when the machine's clock does": async (bench) => {
    const before = await bench.submit()
    bench.world.stepClock(-hour)
    const after = await bench.submit()
    equal(after.createdAtMs, before.createdAtMs)
    equal(await bench.nowMs(), before.createdAtMs)
  },

  "it goes on at half speed while it is ahead, also when it is only read": async (bench) => {
    const { createdAtMs } = await bench.submit()
    bench.world.stepClock(-hour)
    equal(await bench.nowMs(), createdAtMs)
    await bench.world.advance(10_000)
    equal(await bench.nowMs(), createdAtMs + 5_000)
    await bench.world.advance(10_000)
    equal((await bench.submit()).createdAtMs, createdAtMs + 10_000)
  },

  "frequent readings do not freeze it": async (bench) => {
    const { createdAtMs } = await bench.submit()
    bench.world.stepClock(-hour)
    await bench.submit()
    for (let i = 0; i < 40; i++) {
      await bench.world.advance(1)
      await bench.submit()
    }
    equal(await bench.nowMs(), createdAtMs + 20)
  },

  "a second step back starts again from there": async (bench) => {
    const { createdAtMs } = await bench.submit()
    bench.world.stepClock(-hour)
    await bench.submit()
    await bench.world.advance(2_000)
    equal((await bench.submit()).createdAtMs, createdAtMs + 1_000)
    bench.world.stepClock(-hour)
    equal((await bench.submit()).createdAtMs, createdAtMs + 1_000)
    await bench.world.advance(2_000)
    equal((await bench.submit()).createdAtMs, createdAtMs + 2_000)
  },

  "it follows the machine's clock again once that has caught up": async (bench) => {
    const { createdAtMs } = await bench.submit()
    bench.world.stepClock(-10_000)
    await bench.submit()
    await bench.world.advance(8_000)
    equal((await bench.submit()).createdAtMs, createdAtMs + 4_000)
    await bench.world.advance(12_000)
    equal((await bench.submit()).createdAtMs, bench.world.wallMs())
    await bench.world.advance(1_000)
    equal((await bench.submit()).createdAtMs, bench.world.wallMs())
  },

  "a lease is not cut short by a clock that steps back": async (bench) => {
    await bench.submit()
    const worker = bench.worker()
    const held = await worker.claimOne()
    bench.world.stepClock(-hour)
    equal((await bench.sweep()).rescued, 0)
    await bench.world.advance(leaseMs - 1)
    equal((await bench.sweep()).rescued, 0)
    equal(await worker.heartbeat(held), "ok")
  },

  "a lease is not kept for ever by a clock that steps back": async (bench) => {
    await bench.submit()
    await bench.worker().claimOne()
    bench.world.stepClock(-hour)
    await bench.sweep()
    await bench.world.advance(leaseMs * 2 + 2)
    equal((await bench.sweep()).rescued, 1)
  },

  "a scheduled task comes due although the clock has stepped back": async (bench) => {
    const task = await bench.submit({ schedule: { inMs: 1_000 } })
    const worker = bench.worker()
    bench.world.stepClock(-hour)
    deepEqual(await worker.claim(), [])
    await bench.world.advance(2_000)
    equal((await worker.claimOne()).id, task.id)
  },

  "a machine whose clock is behind sees the store's time, not its own": async (bench) => {
    const behind = await bench.connect({ world: new VirtualWorld({ startMs: bench.world.wallMs() - hour, seed: 2 }) })
    const first = await bench.submit({ expiry: { inMs: 60_000 } })
    const second = await behind.submit({ schedule: { inMs: 1_000 } })
    equal(second.createdAtMs, first.createdAtMs)
    equal(second.availableAtMs, first.createdAtMs + 1_000)
    await bench.world.advance(500)
    const third = await bench.submit()
    const fourth = await behind.submit()
    ok(third.createdAtMs >= second.createdAtMs && fourth.createdAtMs >= third.createdAtMs, "expected time not to go back")
  },
})
