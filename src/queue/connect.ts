// Connect: from a URL and a namespace to a queue.

import { anything, parseName, parseSize, readOptions, type Size } from "../units/index.ts"
import { systemWorld, type World } from "../world/index.ts"
import { queueDefaults } from "./defaults.ts"
import { Queue } from "./queue.ts"
import { resolveStore } from "./resolve.ts"

export interface ConnectOptions {
  /** Namespaces share nothing. SLUICE_NAMESPACE, else "default". */
  readonly namespace?: string
  /** The largest input that is taken; "256KiB" by default. */
  readonly maxInputBytes?: Size
  /** Where clock, timers and randomness come from. For tests. */
  readonly world?: World
}

export async function connect(url: string, options?: ConnectOptions): Promise<Queue> {
  const read = readOptions("connect", options, { namespace: parseName, maxInputBytes: parseSize, world: anything<World>() })
  const namespace = read.namespace ?? parseName("SLUICE_NAMESPACE", process.env.SLUICE_NAMESPACE ?? queueDefaults.namespace)
  const world = read.world ?? systemWorld
  const open = await resolveStore(url)
  return new Queue(await open({ url, namespace, world }), world, read.maxInputBytes ?? queueDefaults.maxInputBytes)
}
