// Waiting for a queue to have nothing left to do. In a virtual world time is moved on for it, from one timer to the next; in
// the real one it looks now and then.

import { SluiceError } from "../errors/index.ts"
import type { Queue } from "../queue/index.ts"
import { anything, type Duration, formatDuration, parseDuration, readOptions } from "../units/index.ts"
import { sleep } from "../world/index.ts"
import { VirtualWorld } from "./virtual-world.ts"

export interface SleepOptions {
  /** In the time of the queue's world; "1h" by default. */
  readonly within?: Duration
  /** Ends the wait, without an error. */
  readonly signal?: AbortSignal
}

const lookEveryMs = 20

/** Until no task is pending or running. Fails when that takes too long. */
export async function sleepUntilEmpty(queue: Queue, options?: SleepOptions): Promise<void> {
  const read = readOptions("sleepUntilEmpty", options, { within: parseDuration, signal: anything<AbortSignal>() })
  const { signal, within: withinMs = 3_600_000 } = read
  const { world } = queue
  const isOver = async () => signal?.aborted === true || (await tasksLeft(queue)) === 0
  if (world instanceof VirtualWorld) await world.advanceUntil(isOver, withinMs).catch(() => {})
  else {
    const untilMs = world.monotonicMs() + withinMs
    while (!(await isOver()) && world.monotonicMs() < untilMs) await sleep(world, lookEveryMs, signal)
  }
  if (await isOver()) return
  throw new SluiceError(
    "timeout",
    `sleepUntilEmpty: expected an empty queue within ${formatDuration(withinMs)}, got ${await tasksLeft(queue)} tasks that are pending or running`,
  )
}

async function tasksLeft(queue: Queue): Promise<number> {
  const { pending, running } = await queue.counts()
  return pending + running
}
