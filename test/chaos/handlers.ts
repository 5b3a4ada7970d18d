// What handlers of a run have in common: they write down that they began and ended, and heed their signal.

import { setTimeout as sleep } from "node:timers/promises"
import type { Context } from "../../src/index.ts"
import type { WriteFact } from "../../src/testing/index.ts"

/** In the record a run has ended when its handler has, however it ended. */
export async function noted<T>(write: WriteFact, { task, fence }: Context, handle: () => Promise<T>): Promise<T> {
  write({ op: "run", phase: "start", task: task.id, fence })
  try {
    return await handle()
  } finally {
    write({ op: "run", phase: "end", task: task.id, fence })
  }
}

export async function busyFor(ms: number, { signal }: Context): Promise<void> {
  if (ms > 0) await sleep(ms, undefined, { signal })
}
