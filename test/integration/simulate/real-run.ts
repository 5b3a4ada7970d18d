// The same case for real: the tasks of a simulation, with the durations and keys that it has drawn, through the real worker on a real
// store, in virtual time.

import { type AnyLimit, defineTask, type LimitUse, type SimulateOptions } from "../../../src/index.ts"
import { planFor } from "../../../src/queue/simulate.ts"
import { draw } from "../../../src/simulate/index.ts"
import { testQueue, VirtualWorld } from "../../../src/testing/index.ts"
import { sleep } from "../../../src/world/index.ts"
import { withOwnNews } from "../../seeds/own-news.ts"

interface Input {
  readonly ms: number
  /** One for each limit. */
  readonly keys: readonly number[]
  readonly n: number
}

export interface RealRun {
  readonly endMs: number
  /** Of each task, from the start of the run. */
  readonly startsMs: readonly number[]
}

export async function realRun(options: SimulateOptions, store: string): Promise<RealRun> {
  const uses = (options.limits ?? []).map((one): LimitUse => (typeof one === "function" ? { limit: one as AnyLimit } : (one as LimitUse)))
  const world = new VirtualWorld()
  const startedMs = world.monotonicMs()
  const startsMs: number[] = []
  let endMs = 0
  const work = defineTask("work", {
    limits: ({ keys }: Input) => uses.map(({ limit, cost }, i) => limit(`key-${keys[i]}`, { cost: cost ?? 1 })),
    timeout: "7d",
    run: async ({ ms, n }: Input) => {
      startsMs[n] = world.monotonicMs() - startedMs
      await sleep(world, ms)
      endMs = world.monotonicMs() - startedMs
    },
  })
  const inputs = inputsOf(options)
  const queue = await testQueue([work], { store, world, worker: { concurrency: options.concurrency ?? 1_000 }, through: withOwnNews })
  for (const { atMs, some } of batches(options, inputs)) {
    await world.advance(atMs - (world.monotonicMs() - startedMs))
    await queue.submitMany(work, some, { inPieces: true })
  }
  await world.advanceUntil(async () => startsMs.length === inputs.length && (await queue.counts()).completed === inputs.length)
  await queue.close()
  return { endMs, startsMs }
}

function inputsOf(options: SimulateOptions): Input[] {
  const plan = planFor(options)
  const { durationsMs, laneOf, lanes } = draw(plan)
  return Array.from({ length: plan.tasks }, (_, n) => ({
    n,
    ms: durationsMs[n] ?? 0,
    keys: (lanes[laneOf[n] ?? 0] ?? []).map(({ key }) => key),
  }))
}

/** Those that come at the same time are submitted together. */
function batches(options: SimulateOptions, inputs: readonly Input[]): { readonly atMs: number; readonly some: Input[] }[] {
  const { arrivals } = planFor(options)
  const found: { atMs: number; some: Input[] }[] = []
  for (const input of inputs) {
    const atMs = arrivals === null ? 0 : Math.floor((input.n * arrivals.perMs) / arrivals.limit)
    const last = found.at(-1)
    if (last?.atMs === atMs) last.some.push(input)
    else found.push({ atMs, some: [input] })
  }
  return found
}
