// Says hello every so often: which types and limits this worker's code knows. Apart from the loop, like the sweeper: whether the
// store hears of it holds up nothing.

import type { AnyTask, Queue } from "../queue/index.ts"
import { sleep } from "../world/index.ts"
import { withDeadline } from "./line.ts"
import { callDeadlineMs, type WorkerSettings } from "./options.ts"

/** The loop has said the first one. */
export async function keepGreeting(queue: Queue, tasks: readonly AnyTask[], settings: WorkerSettings, signal: AbortSignal): Promise<void> {
  const { world, declarations } = queue
  for (;;) {
    // Spread out, so that a fleet that started together does not call together.
    await sleep(world, settings.helloMs * (0.8 + world.random() * 0.4), signal)
    if (signal.aborted) return
    try {
      await withDeadline(world, callDeadlineMs(settings), () => declarations.say(settings.id, tasks))
    } catch {
      // The store is away; the worker's own calls notice and tell.
    }
  }
}
