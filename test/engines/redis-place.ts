// A place of a test's own on the server that all share: its keys begin with a name that nobody else has, and are removed afterwards.

import { randomBytes } from "node:crypto"
import { sharedRedis } from "./redis.ts"
import { redisAdmin } from "./redis-admin.ts"

export interface RedisPlace {
  readonly url: string
  clear(): Promise<void>
}

export async function redisPlace(): Promise<RedisPlace> {
  const url = await sharedRedis()
  const prefix = `test-${randomBytes(6).toString("hex")}`
  return { url: `${url}?prefix=${prefix}`, clear: () => removeKeys(url, prefix) }
}

async function removeKeys(url: string, prefix: string): Promise<void> {
  const admin = await redisAdmin(url)
  let cursor = "0"
  do {
    const [next, keys] = (await admin.reply("SCAN", cursor, "MATCH", `${prefix}:*`, "COUNT", "1000")) as [string, string[]]
    if (keys.length > 0) await admin.reply("UNLINK", ...keys)
    cursor = next
  } while (cursor !== "0")
  admin.close()
}
