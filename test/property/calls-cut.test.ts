// Processes that lose their store again and again, each at its own times and in its own way, with work that comes in bursts: never more than
// the limit in flight. Calls are shorter than a lease, as the guide asks for.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import fc from "fast-check"
import { defineLimit } from "../../src/index.ts"
import { sleep } from "../../src/world/index.ts"
import { Place, type TestProcess } from "../unit/calls/kit.ts"
import { runs } from "./runs.ts"

const lease = "3s"
const fault = fc.constantFrom(null, null, null, "refuse" as const, "lose_reply" as const, "lose_reply" as const, "hang" as const)

/** For a while, each process has its store, or has it not. */
const phase = fc.record({ lastsMs: fc.constantFrom(300, 1_500, 4_000, 9_000), cuts: fc.tuple(fault, fault, fault) })

async function play(limit: number, pauseMs: number, phases: readonly { lastsMs: number; cuts: readonly TestProcess["cut"][] }[]) {
  const place = new Place()
  const api = defineLimit("vendor-api", { concurrency: limit })
  const processes = await place.processes(3, { lease, wait: "10s", fallbackFor: "40s" })
  let [inside, most, isOver] = [0, 0, false]
  const loops = processes.flatMap(({ queue }, i) =>
    Array.from({ length: limit }, async (_, n) => {
      while (!isOver) {
        await sleep(place.world, ((i + 1) * (n + 1) * pauseMs) % 2_000)
        const work = async ({ signal }: { signal: AbortSignal }) => {
          most = Math.max(most, ++inside)
          await sleep(place.world, 100 + 70 * n, signal)
          inside--
        }
        await queue
          .limit(api)
          .run(work)
          .catch(() => sleep(place.world, 100))
      }
    }),
  )
  // Shares are told and confirmed first.
  await place.world.advance(6_000)
  for (const { lastsMs, cuts } of phases) {
    for (const [i, process] of processes.entries()) process.cut = cuts[i] ?? null
    await place.world.advance(lastsMs)
    assert.ok(most <= limit, `${most} at once, of ${limit}`)
  }
  for (const process of processes) process.cut = null
  await place.world.advance(5_000)
  for (const { queue } of processes) assert.equal(queue.limit(api).stats().isDetached, false, "expected all to be back")
  isOver = true
  await place.world.advance(30_000)
  await Promise.all(loops)
  assert.ok(most <= limit, `${most} at once, of ${limit}`)
}

describe("calls of processes that lose their store", () => {
  it("are never more at once than the limit", async () => {
    const scene = [
      fc.integer({ min: 1, max: 5 }),
      fc.constantFrom(0, 130, 700),
      fc.array(phase, { minLength: 3, maxLength: 14, size: "max" }),
    ] as const
    await fc.assert(
      fc.asyncProperty(...scene, (limit, pauseMs, phases) => play(limit, pauseMs, phases)),
      { numRuns: runs(25) },
    )
  })
})
