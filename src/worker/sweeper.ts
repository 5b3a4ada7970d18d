// The sweeper that runs in every worker. Safe in any number: each step is conditional on what it finds.

import type { Store } from "../store/index.ts"
import { sleep, type World } from "../world/index.ts"
import type { Events } from "./events.ts"
import { isForGood, withDeadline } from "./line.ts"
import { callDeadlineMs, type WorkerSettings } from "./options.ts"

/** Enough for a large backlog, and an end in any case. */
const mostSteps = 1_000

export async function sweepAll(
  store: Pick<Store, "sweep">,
  world: World,
  settings: Pick<WorkerSettings, "backoff" | "retentionMs">,
  signal?: AbortSignal,
) {
  const total = { rescued: 0, expired: 0, stopped: 0, removed: 0 }
  for (let step = 0; step < mostSteps && !signal?.aborted; step++) {
    const answer = await store.sweep({ backoff: settings.backoff, retentionMs: settings.retentionMs, random: world.random() })
    total.rescued += answer.rescued
    total.expired += answer.expired
    total.stopped += answer.stopped
    total.removed += answer.removed
    if (!answer.more) break
  }
  return total
}

export async function keepSweeping(
  store: Store,
  world: World,
  settings: WorkerSettings,
  events: Events,
  signal: AbortSignal,
  /** Told of a store that will not answer again: whoever has nothing to do would not notice. */
  gone: () => void,
): Promise<void> {
  const bounded: Pick<Store, "sweep"> = {
    sweep: (request) => withDeadline(world, callDeadlineMs(settings), () => store.sweep(request)),
  }
  while (!signal.aborted) {
    try {
      const total = await sweepAll(bounded, world, settings, signal)
      if (total.rescued + total.expired + total.stopped + total.removed > 0) events.emit("sweep.done", total)
    } catch (error) {
      // A store that is away is noticed and told by the worker's own calls.
      if (isForGood(error)) gone()
    }
    // Spread out, so that a fleet that started together does not sweep together.
    await sleep(world, settings.sweepMs * (0.8 + world.random() * 0.4), signal)
  }
}
