// What the tests of the client share: stores on a server, each in a namespace of its own, closed when the test ends.

import { randomBytes } from "node:crypto"
import type { TestContext } from "node:test"
import type { SubmitRequest } from "../../src/store/contract.ts"
import { open } from "../../src/stores/redis/index.ts"
import type { RedisStore } from "../../src/stores/redis/store.ts"
import { systemWorld, type World } from "../../src/world/index.ts"
import { type StartOptions, startRedis, type TestServer } from "../engines/redis.ts"
import { type RedisAdmin, redisAdmin } from "../engines/redis-admin.ts"

/** A wake-up that never comes is a failure, not a run without end. */
export const patience = { timeout: 60_000 }

export const durable = ["--appendonly", "yes", "--appendfsync", "always"]

export const freshNamespace = () => `test-${randomBytes(6).toString("hex")}`

export async function openRedis(
  test: TestContext,
  url: string,
  { namespace = freshNamespace(), world = systemWorld }: { readonly namespace?: string; readonly world?: World } = {},
): Promise<RedisStore> {
  const store = (await open({ url, namespace, world })) as RedisStore
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

/** One task of this id, which need not look like one. */
export function submission(id: string): SubmitRequest {
  const none = {
    jobId: null,
    schedule: null,
    expiry: null,
    maxReschedules: null,
    maxThrottles: null,
    idempotencyKey: null,
    inputDigest: null,
  }
  return {
    tasks: [{ id, type: "mail", input: "{}", priority: 0, tags: [], flow: "mail", gates: [], maxRetries: 3, timeoutMs: 60_000, ...none }],
  }
}

/** A worker says that it lives, and claims up to ten. */
export const exchange = (number: number | null) => ({
  ...{ workerId: "w", settles: [], heartbeats: [], leaseMs: 60_000 },
  claim: number === null ? null : { number, types: [{ type: "mail", room: 10 }], max: 10 },
})
