// Removal by hand, as it comes by itself an hour after a snapshot.

import { ServerClock } from "../../src/store/server-clock.ts"
import { Keeper } from "../../src/stores/s3/keeper.ts"
import { Objects } from "../../src/stores/s3/objects.ts"
import { sleep, systemWorld } from "../../src/world/index.ts"
import { bucketClient } from "../engines/s3-bucket.ts"
import type { Place } from "./place.ts"

/** Old enough whatever the clocks say. */
const atOnceMs = -10_000

export function removeOld({ url, keys }: Place): Promise<number> {
  const client = bucketClient(url)
  const objects = new Objects({ client, clock: new ServerClock(1_000), place: "test", patienceMs: 10_000 })
  return new Keeper({ objects, keys, writer: "test", recordsKeptMs: atOnceMs }).clean()
}

export async function untilSnapshot({ names, keys }: Place): Promise<void> {
  while ((await names(keys.snapshots)).length === 0) await sleep(systemWorld, 5)
}
