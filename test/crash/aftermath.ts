// After all processes of a place were stopped at once: a new one, which knows nothing of them, takes over and works everything off.

import type { Store } from "../../src/store/index.ts"
import type { Backing } from "../../src/testing/conformance/index.ts"
import { faultyStore, type HistoryEvent, recordedStore } from "../../src/testing/index.ts"
import { judge } from "./judge.ts"
import type { Call } from "./process.ts"
import { recover } from "./recovery.ts"
import { Stage } from "./stage.ts"

export interface Stop {
  readonly atMs: number
  /** What they had written down by then. */
  readonly events: readonly HistoryEvent[]
  /** The call whose answer nobody got. */
  readonly underWay: Call
}

export async function takeOver(backing: Backing, stop: Stop, message: string): Promise<void> {
  const stage = Stage.after(backing, stop.atMs, stop.events)
  try {
    const observer = await stage.connect()
    await writeUnknown(stage, observer, stop.underWay)
    await recover(stage, await stage.start("worker-c"), observer)
    await judge(stage.events, observer, message)
  } finally {
    await stage.close()
  }
}

/** What the process could not write down any more: it may have happened. */
async function writeUnknown(stage: Stage, store: Store, { operation, request }: Call): Promise<void> {
  const away = recordedStore(
    faultyStore(store, () => "refuse"),
    stage.write,
  )
  await (away[operation] as (request: unknown) => Promise<unknown>)(request).catch(() => {})
}
