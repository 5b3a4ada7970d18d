// From a URL to the objects of a namespace.

import type { OpenRequest } from "../../store/open.ts"
import { ServerClock } from "../../store/server-clock.ts"
import { Client } from "./client.ts"
import { credentialChain, findRegion } from "./credentials.ts"
import { Keys } from "./layout.ts"
import { type Location, parseLocation, placeOf } from "./location.ts"
import { Objects } from "./objects.ts"

/** No request takes longer where anybody is there. */
const deadlineMs = 10_000
/** A `Date` has whole seconds. */
const dateStepMs = 1_000

export interface Reached {
  readonly location: Location
  readonly client: Client
  readonly serverClock: ServerClock
  readonly objects: Objects
  readonly keys: Keys
}

export async function reach({ url, namespace, world }: OpenRequest): Promise<Reached> {
  const location = parseLocation(url)
  const { bucket, endpoint, prefix, patienceMs } = location
  const region = await findRegion(location, process.env)
  const credentials = credentialChain(location, world, process.env)
  const client = new Client({ world, bucket, endpoint, region, credentials, deadlineMs: Math.min(deadlineMs, patienceMs) })
  const serverClock = new ServerClock(dateStepMs)
  const objects = new Objects({ client, clock: serverClock, place: placeOf(location), patienceMs })
  return { location, client, serverClock, objects, keys: new Keys(prefix, namespace) }
}
