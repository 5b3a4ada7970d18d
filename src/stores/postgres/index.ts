// `postgres://localhost/app`: for those whose data is there. Every step is one transaction.

import { createHash } from "node:crypto"
import type { OpenStore } from "../../store/open.ts"
import { systemWorld } from "../../world/index.ts"
import { describeServer } from "./describe.ts"
import { translate } from "./errors.ts"
import { givenPool } from "./given-pool.ts"
import { heard } from "./heard.ts"
import { loadLibrary } from "./library.ts"
import { type Location, parseLocation, placeOf } from "./location.ts"
import { migrate } from "./migrate.ts"
import { News } from "./news.ts"
import type { Client, Pool } from "./pool.ts"
import { Dialect, Session } from "./session.ts"
import { Steps } from "./steps.ts"
import { PostgresStore } from "./store.ts"

export const open: OpenStore = async ({ url, namespace, world, pool: given }) => {
  const location = parseLocation(url)
  const place = placeOf(location)
  const { pool, canListen } = given === undefined ? { pool: await makePool(location), canListen: true } : givenPool(given)
  const dialect = new Dialect(location.schema, location.isPreparing)
  try {
    const ns = await withClient(pool, async (client) => {
      await migrate(client, location.schema)
      return numberOf(new Session(client, dialect), namespace)
    })
    const channel = channelOf(location.schema, namespace)
    const news = new News({ pool, dialect, ns, channel, isListening: location.isListening && canListen })
    const steps = new Steps({ place, pool, dialect, ns, channel, world, hasOwnClock: world !== systemWorld })
    const describe = () => describeServer(pool, dialect, place.replace(/^postgres /, ""))
    return new PostgresStore({ namespace, ns, world, steps, news, describe, end: () => pool.end() })
  } catch (error) {
    await pool.end()
    throw translate(error, place)
  }
}

async function makePool({ connectionString, patienceMs, poolSize }: Location): Promise<Pool> {
  const { Pool } = await loadLibrary()
  const pool = new Pool({
    connectionString,
    connectionTimeoutMillis: patienceMs,
    // Statements that do not wait for each other are sent together.
    pipeline: true,
    // One more to listen on.
    max: poolSize + 1,
    application_name: "sluice",
    keepAlive: true,
    // An idle store keeps no process from ending.
    allowExitOnIdle: true,
  })
  // Of connections that nobody uses: the next who needs one gets another.
  pool.on("error", () => {})
  return heard(pool)
}

async function withClient<T>(pool: Pool, work: (client: Client) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  try {
    return await work(client)
  } finally {
    client.release()
  }
}

async function numberOf(sql: Session, namespace: string): Promise<number> {
  const find = async () => (await sql.rows("findNamespace", namespace))[0]?.[0] as number | undefined
  const known = await find()
  if (known !== undefined) return known
  await sql.run("addNamespace", namespace)
  return (await find()) as number
}

/** Channels are a database's, and their names are short. */
function channelOf(schema: string, namespace: string): string {
  return `sluice_${createHash("sha256")
    .update(JSON.stringify([schema, namespace]))
    .digest("hex")
    .slice(0, 32)}`
}
