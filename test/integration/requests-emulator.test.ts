// ctx.fetch against the emulated providers, in virtual time: a limit that nobody has told is found and kept to, whatever the dialect.

import { deepEqual, ok } from "node:assert/strict"
import { resolve } from "node:path"
import { describe, it } from "node:test"
import { pathToFileURL } from "node:url"
import { defineLimit, defineTask } from "../../src/index.ts"
import { testQueue } from "../../src/testing/test-queue.ts"
import { VirtualWorld } from "../../src/testing/virtual-world.ts"
import type { World } from "../../src/world/index.ts"

interface Provider {
  stats(): { readonly received: number; readonly accepted: number; readonly refused: number; readonly overloaded: number }
}

const emulator = (file: string) => import(pathToFileURL(resolve("bench/limits/emulator", file)).href)
const { createProvider }: { createProvider(options: object): Provider } = await emulator("provider.mjs")
const { createNetwork }: { createNetwork(options: object): object } = await emulator("network.mjs")
const { virtualFetch }: { virtualFetch(options: object): World["fetch"] } = await emulator("virtual-fetch.mjs")

function worldOf(provider: Provider): VirtualWorld {
  const world: VirtualWorld = new VirtualWorld({ fetch: (url, init) => fetch(url, init) })
  const clock = { nowMs: () => world.wallMs(), after: (ms: number, run: () => void) => world.timer(ms, run) }
  const fetch = virtualFetch({ provider, network: createNetwork({ baseMs: 20, medianMs: 10 }), clock })
  return world
}

const count = 300
const api = defineLimit("api", { adaptive: { start: "2/s" }, concurrency: 20 })
const call = defineTask("call", {
  limits: [api],
  run: async (_input: number, context) => (await context.fetch("http://other.test/key")).status,
})

/** Runs all of them, and tells what the other side has counted. */
async function run(options: object) {
  const provider = createProvider({ accounting: "bucket", limit: 5, perMs: 1_000, burst: 5, ...options })
  const queue = await testQueue([call], { world: worldOf(provider), worker: { concurrency: 50 } })
  await queue.submitMany(
    call,
    Array.from({ length: count }, (_, i) => i),
  )
  await queue.world.advanceUntil(async () => (await queue.counts()).pending + (await queue.counts()).running === 0, 3_600_000)
  const [gate] = (await queue.limits.gates("api")).gates
  const { tasks } = await queue.list({ limit: 1_000 })
  const told = {
    counts: await queue.counts(),
    tookMs: queue.world.monotonicMs(),
    everyMs: gate?.learned?.everyMs ?? 0,
    tasks,
    ...provider.stats(),
  }
  await queue.close()
  return told
}

describe("a limit that is looked for through ctx.fetch", () => {
  for (const dialect of ["none", "retry-after", "ietf", "github", "openai", "anthropic"]) {
    it(`is found in answers of the dialect ${dialect}: all complete, few are refused, and none of them costs a retry`, async () => {
      const { counts, tasks, accepted, refused, received } = await run({ dialect })
      deepEqual([counts.completed, accepted, accepted + refused], [count, count, received])
      ok(refused <= count / 10, `${refused} of ${received} refused`)
      deepEqual(
        [tasks.reduce((sum, task) => sum + task.throttleCount, 0), tasks.reduce((sum, task) => sum + task.retryCount, 0)],
        [refused, 0],
      )
    })
  }

  it("is not slowed down by overloads: they are the task's own to wait out", async () => {
    const { counts, tasks, refused, overloaded, everyMs } = await run({ dialect: "anthropic", overloads: 0.05 })
    ok(overloaded > 5, `expected some overloads, got ${overloaded}`)
    deepEqual([counts.completed, tasks.reduce((sum, task) => sum + task.throttleCount, 0)], [count, refused + overloaded])
    ok(everyMs < 400, `expected about 200 ms between two starts, got ${everyMs}`)
  })
})
