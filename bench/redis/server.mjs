// The server of the bench: the Redis that the tests start. Nothing is written to disk, which is how BullMQ and bee-queue measure themselves
// too.
import { createClient } from "@redis/client"
import { startRedis } from "../engines/start.mjs"

export async function startServer() {
  const { port, url, version, folder, remove } = await startRedis({ args: ["--appendonly", "no"] })
  const client = createClient({ url })
  await client.connect()
  return {
    ...{ port, url, version, folder },
    clear: () => client.flushAll(),
    stop: () => {
      client.destroy()
      return remove()
    },
  }
}
