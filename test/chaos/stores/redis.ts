// Redis: a server of its own with its files in the folder, ended by SIGKILL and started again on them. Processes reach it through lines
// that can be cut; the coordinator directly.

import { startRedis } from "../../engines/redis.ts"
import { Lines } from "../lines/index.ts"
import type { StartStore } from "./index.ts"

/** So small that the file is written anew again and again: a kill may come in the midst of it. */
const rewriting = ["--auto-aof-rewrite-min-size", "8mb", "--auto-aof-rewrite-percentage", "50"]

export const redis: StartStore = async (folder, { appendonly, appendfsync }) => {
  const args = ["--appendonly", appendonly ? "yes" : "no", "--appendfsync", appendfsync, ...rewriting]
  let server = await startRedis({ folder, args })
  const lines = await Lines.start(server.port)
  return {
    url: server.url,
    lines,
    restart: async () => {
      await server.kill()
      server = await startRedis({ folder, args, like: server })
    },
    stop: async () => {
      await lines.end()
      await server.kill()
    },
  }
}
