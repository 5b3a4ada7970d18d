// A Sluice server on loopback over a memory store, in the world of whoever connects first: its clock is the store's, as a server's is.

import { type SluiceServer, serve } from "../../src/http/index.ts"
import { connect } from "../../src/queue/index.ts"
import { open } from "../../src/stores/http/index.ts"
import type { Backing } from "../../src/testing/conformance/index.ts"
import type { World } from "../../src/world/index.ts"

let made = 0

async function start(world: World): Promise<{ server: SluiceServer; close: () => Promise<void> }> {
  const url = `memory:http-${++made}`
  const openNamespace = (namespace: string) => connect(url, { namespace, world })
  const queue = await openNamespace("default")
  // Time stands still here: a bucket would never fill again. And it moves on by years, of which nobody wants a sample every ten seconds.
  const server = await serve(queue, { port: 0, openNamespace, requestsPerSecond: 1_000_000, dashboard: false })
  return {
    server,
    close: async () => {
      await server.close()
      await queue.close()
    },
  }
}

export async function httpBacking(): Promise<Backing> {
  let started: ReturnType<typeof start> | null = null
  return {
    open: async ({ namespace = "default", world }) => {
      started ??= start(world)
      const { server } = await started
      return open({ url: server.url, namespace, world })
    },
    close: async () => {
      await (await started)?.close()
    },
  }
}
