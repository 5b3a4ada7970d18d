// `s3://bucket/prefix`: object storage as the only dependency. The reference state machine, replicated by a log of immutable records.

import type { OpenRequest, OpenStore } from "../../store/open.ts"
import { Client } from "./client.ts"
import { ServerClock } from "./clock.ts"
import { credentialChain, findRegion } from "./credentials.ts"
import { Keys, recordsKeptMs } from "./layout.ts"
import { parseLocation, placeOf } from "./location.ts"
import { Namespace } from "./namespace.ts"
import { Objects } from "./objects.ts"
import { probeOnce } from "./probe.ts"
import { S3Store } from "./store.ts"

/** No request takes longer where anybody is there. */
const deadlineMs = 10_000

export const open: OpenStore = (request) => openWith(request, recordsKeptMs)

/** All that write into one log have to keep records for the same time. */
export async function openWith({ url, namespace, world }: OpenRequest, keptMs: number): Promise<S3Store> {
  const location = parseLocation(url)
  const { bucket, endpoint, prefix, pollMs, patienceMs } = location
  const region = await findRegion(location, process.env)
  const credentials = credentialChain(location, world, process.env)
  const client = new Client({ world, bucket, endpoint, region, credentials, deadlineMs: Math.min(deadlineMs, patienceMs) })
  const serverClock = new ServerClock()
  const objects = new Objects({ client, clock: serverClock, place: placeOf(location), patienceMs })
  try {
    await probeOnce(objects, client.base, prefix, world)
    const keys = new Keys(prefix, namespace)
    return new S3Store(
      await Namespace.open({ name: namespace, world, objects, keys, serverClock, pollMs, patienceMs, recordsKeptMs: keptMs }),
    )
  } catch (error) {
    objects.close()
    throw error
  }
}
