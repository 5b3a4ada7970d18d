// `s3://bucket/prefix`: object storage as the only dependency. The reference state machine, replicated by a log of immutable records.

import type { OpenRequest, OpenStore } from "../../store/open.ts"
import { recordsKeptMs } from "./layout.ts"
import { Namespace } from "./namespace.ts"
import { probeOnce } from "./probe.ts"
import { reach } from "./reach.ts"
import { S3Store } from "./store.ts"

export const open: OpenStore = (request) => openWith(request, recordsKeptMs)

/** All that write into one log have to keep records for the same time. */
export async function openWith(request: OpenRequest, keptMs: number): Promise<S3Store> {
  const { namespace: name, world } = request
  const { client, objects, keys, serverClock, location } = await reach(request)
  const { prefix, pollMs, patienceMs } = location
  try {
    await probeOnce(objects, client.base, { prefix, world, patienceMs })
    return new S3Store(await Namespace.open({ name, world, objects, keys, serverClock, pollMs, patienceMs, recordsKeptMs: keptMs }))
  } catch (error) {
    objects.close()
    throw error
  }
}
