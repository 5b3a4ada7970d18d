// What the tests of the client share: stores on a server, each in a namespace of its own, closed when the test ends.

import { randomBytes } from "node:crypto"
import type { TestContext } from "node:test"
import type { RedisStore } from "../../src/stores/redis/store.ts"
import { systemWorld, type World } from "../../src/world/index.ts"
import { type StartOptions, startRedis, type TestServer } from "../engines/redis.ts"
import { type RedisAdmin, redisAdmin } from "../engines/redis-admin.ts"
import { openStub } from "./stub.ts"

/** A wake-up that never comes is a failure, not a run without end. */
export const patience = { timeout: 60_000 }

export const freshNamespace = () => `test-${randomBytes(6).toString("hex")}`

export async function openRedis(
  test: TestContext,
  url: string,
  { namespace = freshNamespace(), world = systemWorld }: { readonly namespace?: string; readonly world?: World } = {},
): Promise<RedisStore> {
  const store = await openStub({ url, namespace, world })
  test.after(() => store.close())
  return store
}

/** A server of the test's own, for what would disturb others. */
export async function ownServer(test: TestContext, options: StartOptions = {}): Promise<TestServer> {
  const server = await startRedis(options)
  test.after(() => server.remove())
  return server
}

export async function adminOf(test: TestContext, url: string): Promise<RedisAdmin> {
  const admin = await redisAdmin(url)
  test.after(() => admin.close())
  return admin
}

export const submission = (id: string) => ({
  tasks: [{ id, type: "t", input: "{}", gates: [], priority: 0 }] as never,
})
