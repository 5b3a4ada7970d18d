// A place of a test's own on the server that all share: its namespaces have a name that nobody else has, and are removed afterwards.

import { randomBytes } from "node:crypto"
import { sharedRedis } from "./redis.ts"
import { redisAdmin } from "./redis-admin.ts"

export interface RedisPlace {
  readonly url: string
  /** What a namespace is called there. */
  named(namespace: string): string
  clear(): Promise<void>
}

export async function redisPlace(): Promise<RedisPlace> {
  const url = await sharedRedis()
  const prefix = `test-${randomBytes(6).toString("hex")}`
  return {
    url,
    named: (namespace) => `${prefix}-${namespace}`.slice(0, 128),
    clear: async () => {
      const admin = await redisAdmin(url)
      for (let cursor = "0", isFirst = true; isFirst || cursor !== "0"; isFirst = false) {
        const [next, keys] = (await admin.reply("SCAN", cursor, "MATCH", `sluice:{${prefix}-*`, "COUNT", "1000")) as [string, string[]]
        if (keys.length > 0) await admin.reply("UNLINK", ...keys)
        cursor = next
      }
      admin.close()
    },
  }
}
