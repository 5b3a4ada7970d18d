// A cluster of three primaries, by hand: each is given its slots and told of the others.

import { startRedis, type TestServer } from "./redis.ts"
import { type RedisAdmin, redisAdmin } from "./redis-admin.ts"

const slotCount = 16_384

export interface TestCluster {
  readonly nodes: readonly { readonly server: TestServer; readonly admin: RedisAdmin; readonly id: string }[]
  remove(): Promise<void>
}

export async function startCluster(): Promise<TestCluster> {
  const servers = await Promise.all(
    [0, 1, 2].map(() => startRedis({ args: ["--cluster-enabled", "yes", "--cluster-node-timeout", "5000"] })),
  )
  const nodes = await Promise.all(
    servers.map(async (server) => {
      const admin = await redisAdmin(server.url)
      return { server, admin, id: await admin.text("CLUSTER", "MYID") }
    }),
  )
  for (const [i, { admin, server }] of nodes.entries()) {
    const [from, to] = [i, i + 1].map((part) => Math.floor((slotCount * part) / nodes.length)) as [number, number]
    await admin.text("CLUSTER", "ADDSLOTS", ...Array.from({ length: to - from }, (_, slot) => String(from + slot)))
    await admin.text("CLUSTER", "SET-CONFIG-EPOCH", String(i + 1))
    if (i > 0) await nodes[0]?.admin.text("CLUSTER", "MEET", "127.0.0.1", String(server.port))
  }
  for (const { admin } of nodes) await admin.until(async () => knowsAll(await admin.text("CLUSTER", "INFO"), nodes.length))
  return {
    nodes,
    remove: async () => {
      for (const { admin, server } of nodes) {
        admin.close()
        await server.remove()
      }
    },
  }
}

function knowsAll(info: string, count: number): boolean {
  return /cluster_state:ok/.test(info) && info.includes(`cluster_slots_ok:${slotCount}`) && info.includes(`cluster_size:${count}`)
}
