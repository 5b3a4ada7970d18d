// Connect: from a URL and a namespace to a queue.

import { SluiceError, shown } from "../errors/index.ts"
import { anything, parseName, parseSize, readOptions, type Size } from "../units/index.ts"
import { systemWorld, type World } from "../world/index.ts"
import { type CallsOptions, callsSettings } from "./calls/index.ts"
import { queueDefaults } from "./defaults.ts"
import { Queue } from "./queue.ts"
import { resolveStore } from "./resolve.ts"

export interface ConnectOptions {
  /** Namespaces share nothing. SLUICE_NAMESPACE, else "default". */
  readonly namespace?: string
  /** The largest input that is taken; "256KiB" by default. */
  readonly maxInputBytes?: Size
  /** Postgres: a pool or a client of `pg` that is yours, and stays open. What the URL says of the server is not looked at then. */
  readonly pool?: unknown
  /** Of limits outside the queue, `queue.limit`. */
  readonly calls?: CallsOptions
  /** Where clock, timers and randomness come from. For tests. */
  readonly world?: World
}

/** Opens the store that the URL names: `sqlite:./sluice.db`, `memory:`, `redis://`, `postgres://`, `s3://bucket/prefix`, or a Sluice server by `https://`. Close the queue when done. */
export async function connect(url: string, options?: ConnectOptions): Promise<Queue> {
  const read = readOptions("connect", options, {
    namespace: parseName,
    maxInputBytes: parseSize,
    pool: anything<object>(),
    calls: anything<CallsOptions>(),
    world: anything<World>(),
  })
  const namespace = read.namespace ?? parseName("SLUICE_NAMESPACE", process.env.SLUICE_NAMESPACE ?? queueDefaults.namespace)
  const world = read.world ?? systemWorld
  const calls = callsSettings(read.calls)
  const open = await resolveStore(url)
  const { pool } = read
  if (pool !== undefined && !/^postgres(ql)?:/.test(url))
    throw new SluiceError("invalid_option", `connect: pool: expected a URL such as "postgres://" with it, got ${shown(url)}`)
  return new Queue(
    await open({ url, namespace, world, ...(pool === undefined ? {} : { pool }) }),
    world,
    read.maxInputBytes ?? queueDefaults.maxInputBytes,
    calls,
  )
}
