// Plays the script on a Redis place and keeps, for each call of the victim, what the keys were before it and after it.

import { open } from "../../src/stores/redis/index.ts"
import type { Backing } from "../../src/testing/conformance/index.ts"
import type { HistoryEvent } from "../../src/testing/index.ts"
import type { Call, Watch } from "./process.ts"
import { type Copy, contentOf, copyOf, plainClient } from "./redis-keys.ts"
import { play } from "./script.ts"
import { otherName, Stage, victimName } from "./stage.ts"

export interface RedisStop {
  readonly call: Call
  readonly atMs: number
  /** What had been written down when it was made. */
  readonly known: readonly HistoryEvent[]
  readonly copy: Copy
  /** All that the keys say before the call, and after it. */
  readonly before: string
  readonly after: string
}

/** A place of Redis's that somebody else takes care of. */
export function redisAt(url: string, prefix: string): Backing {
  return {
    open: ({ namespace = "default", world }) => open({ url: `${url}?prefix=${prefix}`, namespace, world }),
    close: async () => {},
  }
}

export async function collectStops(url: string): Promise<readonly RedisStop[]> {
  const prefix = "script"
  const client = await plainClient(url)
  const stage = await Stage.open(async () => redisAt(url, prefix))
  const stops: RedisStop[] = []
  const watch: Watch = {
    async carry(call, carryOut) {
      const [atMs, known, before, copy] = [
        ...([stage.world.wallMs(), [...stage.events]] as const),
        ...([await contentOf(client, prefix), await copyOf(client, prefix)] as const),
      ]
      const answer = await carryOut()
      stops.push({ call, atMs, known, copy, before, after: await contentOf(client, prefix) })
      return answer
    },
  }
  try {
    await play({ stage, victim: await stage.start(victimName, watch), other: await stage.start(otherName) })
    return stops
  } finally {
    await stage.close()
    client.destroy()
  }
}
