// Working until nothing is left: stops the worker when no task of its types is pending or running, wherever it runs.

import type { Queue } from "../queue/index.ts"
import type { Worker } from "../worker/index.ts"
import { sleep } from "../world/index.ts"

/** What other processes do is not told here, so it is looked for as well. */
const lookEveryMs = 1_000

export async function stopWhenEmpty(queue: Queue, worker: Worker, types: readonly string[], signal: AbortSignal): Promise<void> {
  const running = new Set<string>()
  let pause = new AbortController()
  const ended = ({ id }: { readonly id: string }) => {
    running.delete(id)
    if (running.size === 0) pause.abort()
  }
  worker.on("task.claimed", ({ id }) => void running.add(id))
  worker.on("task.settled", ended).on("task.stale", ended).on("task.lost", ended)
  while (!signal.aborted) {
    pause = new AbortController()
    // Twice: types are counted one after the other, and a task may submit one of a type that was counted already.
    if (running.size === 0 && (await isEmpty(queue, types)) && (await isEmpty(queue, types))) {
      worker.stop()
      return
    }
    await sleep(queue.world, lookEveryMs, AbortSignal.any([signal, pause.signal]))
  }
}

async function isEmpty(queue: Queue, types: readonly string[]): Promise<boolean> {
  try {
    for (const type of types) {
      const { pending, running } = await queue.counts({ type })
      if (pending + running > 0) return false
    }
    return true
  } catch {
    // The store is away; the worker tells.
    return false
  }
}
