// `redis://localhost:6379`: for many machines. Every step is one script inside the server.

import { SluiceError } from "../../errors/index.ts"
import type { OpenStore } from "../../store/open.ts"
import { randomHex, systemWorld } from "../../world/index.ts"
import { Cluster } from "./cluster.ts"
import { loadDriver } from "./driver.ts"
import { translate } from "./errors.ts"
import { layoutVersion } from "./layout.ts"
import { Link } from "./link.ts"
import { type Location, parseLocation, placeOf } from "./location.ts"
import { channelOf, News } from "./news.ts"
import { checkServer } from "./safety.ts"
import { readScript, type Script } from "./script-text.ts"
import { baseOf, Steps } from "./steps.ts"
import { RedisStore } from "./store.ts"

export const open: OpenStore = (request) => openWith(readScript, request)

export async function openWith(script: () => Script, { url, namespace, world }: Parameters<OpenStore>[0]): Promise<RedisStore> {
  const location = parseLocation(url)
  const place = placeOf(location)
  const connect = await loadDriver(location)
  const base = baseOf(location.prefix, namespace)
  const cluster = location.isCluster ? new Cluster(place, location.hosts, connect, base) : null
  const locate = async () => (cluster ? cluster.locate() : location.hosts[0])
  const options = { place, patienceMs: location.patienceMs, connect, locate }
  const link = new Link(options)
  const news = new News(options, base, link)
  const steps = new Steps({ place, namespace, base, link, script: script(), world, hasOwnClock: world !== systemWorld })
  try {
    await check(link, location, place, base)
    const { version } = await steps.open(randomHex(world, 32))
    if (version > layoutVersion) {
      throw new SluiceError(
        "schema_too_new",
        `${place}: expected data of layout ${layoutVersion} or older, got ${version}: a newer Sluice has written it; upgrade this one`,
      )
    }
    return new RedisStore({ place, namespace, isCluster: location.isCluster, link, news, steps })
  } catch (error) {
    await link.close()
    throw translate(error, place)
  }
}

async function check(link: Link, { username, isCluster }: Location, place: string, base: string): Promise<void> {
  const client = await link.ready()
  await checkServer(client, place, isCluster)
  // A user of bounded rights is bounded in channels too, and would be told so in the midst of a step. It wakes somebody for nothing.
  if (username !== null) await client.send(["PUBLISH", channelOf(base), ""])
}
