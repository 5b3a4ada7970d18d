// Snapshots: the state behind a record, so that nobody has to read the log from its beginning.

import type { Keys } from "./layout.ts"
import type { Objects } from "./objects.ts"
import type { Replica } from "./replica.ts"

export interface Newest {
  readonly replica: Replica
  readonly bytes: number
}

export interface Loaded {
  /** When it was asked, by the server's clock and by this process's. */
  readonly dateMs: number
  readonly askedAtMs: number
  /** Null where there is none. */
  readonly newest: Newest | null
}

export async function loadSnapshot(objects: Objects, keys: Keys): Promise<Loaded> {
  const { dateMs, askedAtMs } = await objects.list(keys.snapshots)
  return { dateMs, askedAtMs, newest: null }
}
