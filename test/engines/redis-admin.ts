// A connection of the tests' own to a server, for what a queue never does: to flush it, to set it, to count what was asked of it.

import { createClient } from "@redis/client"
import { sleep, systemWorld } from "../../src/world/index.ts"

export interface RedisAdmin {
  text(...args: readonly string[]): Promise<string>
  reply(...args: readonly string[]): Promise<unknown>
  /** How often each command was called, by its name in lower case. */
  calls(): Promise<Readonly<Record<string, number>>>
  /** Asks until it holds; a test that waits for what never comes is ended by the runner. */
  until(holds: () => Promise<boolean>): Promise<void>
  close(): void
}

export async function redisAdmin(url: string): Promise<RedisAdmin> {
  const client = createClient({ url, RESP: 2, socket: { reconnectStrategy: false } })
  client.on("error", () => {})
  await client.connect()
  const reply = (...args: readonly string[]) => client.sendCommand([...args]) as Promise<unknown>
  const text = async (...args: readonly string[]) => String(await reply(...args))
  return {
    reply,
    text,
    calls: async () => {
      const lines = (await text("INFO", "commandstats")).matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm)
      return Object.fromEntries([...lines].map(([, name, calls]) => [name, Number(calls)]))
    },
    until: async (holds) => {
      while (!(await holds())) await sleep(systemWorld, 10)
    },
    close: () => client.destroy(),
  }
}
