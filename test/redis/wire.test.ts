// What goes over the wire: requests that grow older while they wait for a connection, the clock of a world that was handed in, refusals.

import assert from "node:assert/strict"
import { it, type TestContext } from "node:test"
import { VirtualWorld } from "../../src/testing/virtual-world.ts"
import { systemWorld, type World } from "../../src/world/index.ts"
import { sharedRedis, startRedis } from "../engines/redis.ts"
import { adminOf, durable, freshNamespace, ownServer, patience } from "./kit.ts"
import { refusal, repeated } from "./refusal.ts"
import { openStub } from "./stub.ts"

async function opened(test: TestContext, url: string, options: { readonly namespace?: string; readonly world?: World } = {}) {
  const store = await openStub({ url, namespace: freshNamespace(), world: systemWorld, ...options })
  test.after(() => store.close())
  return store
}

it("how long a request waited for a connection is told, and its answers are older by that", patience, async (test) => {
  const server = await ownServer(test, { args: durable })
  const namespace = freshNamespace()
  const store = await opened(test, server.url, { namespace })
  await server.kill()
  const settle = {
    id: "a",
    fence: 1,
    outcome: { kind: "completed", output: "1" },
    spent: [],
    sentAgoMs: 5,
    respondedAgoMs: null,
    rttMs: null,
  }
  const request = { workerId: "w", settles: [settle as never], heartbeats: [], leaseMs: 1_000, claim: null }
  const asked = repeated(() => store.exchange(request))
  const again = await startRedis({ args: durable, like: server })
  test.after(() => again.kill())
  const { waitedMs, nextAtMs } = await asked
  assert.ok(waitedMs > 0, `expected to have waited, got ${waitedMs}`)
  assert.equal(nextAtMs, null)
  const sent = JSON.parse(await (await adminOf(test, server.url)).text("HGET", `sluice:{${namespace}}:meta`, "request"))
  assert.equal(sent.settles[0].sentAgoMs, 5 + Math.floor(waitedMs))
})

it("a world that was handed in has its own clock, else it is the server's", patience, async (test) => {
  const url = await sharedRedis()
  const world = new VirtualWorld()
  assert.equal((await (await opened(test, url, { world })).now({})).nowMs, world.wallMs())
  assert.equal((await (await opened(test, url)).now({})).nowMs, 0)
})

it("what the script refuses is an error of its code; one that nobody knows is damage", patience, async (test) => {
  const store = await opened(test, await sharedRedis())
  const known = await refusal(store.get({ ids: [] }))
  assert.equal(known.code, "store_damaged")
  assert.match(known.message, /^redis 127\.0\.0\.1:\d+: meta: expected a sound record$/)
  assert.equal((await refusal(store.sweep({ backoff: "none" as never, random: 0, retentionMs: null }))).code, "store_damaged")
})
