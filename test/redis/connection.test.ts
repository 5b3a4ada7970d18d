// The connection breaks and comes back: a server that restarts, a script that it has forgotten, data that has vanished, one that is away.

import assert from "node:assert/strict"
import { once } from "node:events"
import { createServer, type Socket } from "node:net"
import { it } from "node:test"
import { Link } from "../../src/stores/redis/link.ts"
import { systemWorld } from "../../src/world/index.ts"
import { sharedRedis, startRedis } from "../engines/redis.ts"
import { adminOf, durable, freshNamespace, openRedis, ownServer, patience, submission } from "./kit.ts"
import { refusal, repeated } from "./refusal.ts"
import { openStub } from "./stub.ts"

it("a server that restarts is found again, by whoever asks and by whoever waits", patience, async (test) => {
  const server = await ownServer(test, { args: durable })
  const store = await openRedis(test, server.url)
  await store.submit(submission("before"))
  await server.kill()
  // It may be on its way when the server ends.
  const asked = repeated(() => store.submit(submission("while it is away")))
  const again = await startRedis({ args: durable, like: server })
  test.after(() => again.kill())
  await asked
  assert.equal((await store.counts({ type: null })).byStatus.pending, 2)
})

it("who waits is woken when the server is back: something may have come meanwhile", patience, async (test) => {
  const server = await ownServer(test, { args: durable })
  const store = await openRedis(test, server.url)
  const signal = new AbortController().signal
  // The first wait ends when it begins to listen.
  await store.wait({ workerId: "w" }, signal)
  const woken = store.wait({ workerId: "w" }, signal)
  await server.kill()
  const again = await startRedis({ args: durable, like: server })
  test.after(() => again.kill())
  await woken
})

it("a function that the server has forgotten is loaded again", patience, async (test) => {
  const server = await ownServer(test)
  const store = await openRedis(test, server.url)
  const admin = await adminOf(test, server.url)
  await admin.text("FUNCTION", "FLUSH")
  await Promise.all([store.submit(submission("a")), store.submit(submission("b")), store.submit(submission("c"))])
  assert.equal((await store.counts({ type: null })).byStatus.pending, 3)
  // At the first opening, and once for the three that found it gone.
  assert.equal((await admin.calls())["function|load"], 2)
})

it(
  "who opens a store removes what other versions have left; one that runs still goes on, and libraries of others stay",
  patience,
  async (test) => {
    const server = await ownServer(test)
    const admin = await adminOf(test, server.url)
    const libraries = async () => ((await admin.reply("FUNCTION", "LIST")) as unknown[][]).map(([, name]) => String(name)).sort()
    await admin.text("FUNCTION", "LOAD", "#!lua name=sluice_mine\nredis.register_function('mine', function() return 1 end)")
    const older = await openStub({ url: server.url, namespace: freshNamespace(), world: systemWorld })
    test.after(() => older.close())
    assert.equal((await libraries()).length, 2)
    const store = await openRedis(test, server.url)
    const [name, ...others] = await libraries()
    assert.deepEqual(others, ["sluice_mine"])
    assert.equal((await older.now({})).nowMs, 0)
    await store.submit(submission("a"))
    assert.equal((await libraries()).length, 3)
    assert.ok((await libraries()).includes(String(name)))
  },
)

it("where functions are not allowed it is a script, which is loaded again as well", patience, async (test) => {
  const server = await ownServer(test)
  const admin = await adminOf(test, server.url)
  for (const [user, ...rights] of [
    ["one", "-function"],
    ["two", "-fcall"],
  ]) {
    await admin.text("ACL", "SETUSER", String(user), "on", ">pw", "~*", "&*", "+@all", ...rights)
    const store = await openRedis(test, `redis://${user}:pw@127.0.0.1:${server.port}`)
    await store.submit(submission("a"))
    await admin.text("SCRIPT", "FLUSH")
    await Promise.all([store.submit(submission("b")), store.submit(submission("c"))])
    assert.equal((await store.counts({ type: null })).byStatus.pending, 3)
  }
  // The second finds what the first has left.
  assert.equal((await admin.calls())["script|load"], 3)
})

it("data that has vanished is told, and does not look like an empty queue", patience, async (test) => {
  const server = await ownServer(test)
  const namespace = freshNamespace()
  const store = await openRedis(test, server.url, { namespace })
  await store.submit(submission("a"))
  await (await adminOf(test, server.url)).text("FLUSHALL")
  for (const ask of [() => store.counts({ type: null }), () => store.submit(submission("b"))]) {
    const error = await refusal(ask())
    assert.equal(error.code, "data_lost")
    assert.equal(error.retryable, false)
    assert.match(error.message, new RegExp(`namespace "${namespace}", last seen at 20.*flushed`))
  }
  const anew = await openRedis(test, server.url, { namespace })
  assert.equal((await anew.counts({ type: null })).byStatus.pending, 0)
})

it("two that open at once agree on one epoch", patience, async (test) => {
  const url = await sharedRedis()
  const namespace = freshNamespace()
  const stores = await Promise.all(Array.from({ length: 8 }, () => openRedis(test, url, { namespace })))
  await Promise.all(stores.map((store, i) => store.submit(submission(`${i}`))))
  for (const store of stores) assert.equal((await store.counts({ type: null })).byStatus.pending, 8)
})

it("a server that is not there is told after the time that the URL gives", patience, async (test) => {
  const server = await ownServer(test)
  await server.kill()
  const error = await refusal(openRedis(test, `redis://me:s3cret@127.0.0.1:${server.port}?timeout=50ms`))
  assert.equal(error.code, "store_unavailable")
  assert.equal(error.retryable, true)
  assert.match(error.message, /expected a connection within 50ms, got none/)
  assert.doesNotMatch(error.message, /s3cret/)
})

it("a call whose answer is lost is told so, and is not sent again", patience, async (test) => {
  const url = await sharedRedis()
  const between = await cuttingProxy(Number(new URL(url).port))
  test.after(() => between.close())
  const store = await openRedis(test, `redis://127.0.0.1:${between.port}`)
  between.cutNextAnswer()
  const error = await refusal(store.submit(submission("a")))
  assert.equal(error.code, "store_unavailable")
  assert.equal(error.retryable, true)
  assert.match(error.message, /whether it was carried out is not known/)
  assert.equal((await store.counts({ type: null })).byStatus.pending, 1, "expected it to have been carried out once")
})

it("a closed store says so, whatever is asked, and closing again is nothing", patience, async (test) => {
  const store = await openRedis(test, await sharedRedis())
  const waiting = store.wait({ workerId: "w" }, new AbortController().signal)
  const asked = store.now({})
  await store.close()
  await store.close()
  await waiting
  assert.ok((await asked).nowMs > 0, "expected what was asked before to be answered")
  for (const ask of [store.now({}), store.describe(), store.submit(submission("a"))])
    assert.equal((await refusal(ask)).code, "store_closed")
})

it("why there is no connection is told", patience, async () => {
  const connect = () => Promise.reject(new Error("connect ECONNREFUSED 127.0.0.1:1"))
  const link = new Link({ place: "redis x", patienceMs: 20, connect, locate: async () => ({ host: "127.0.0.1", port: 1 }) })
  assert.match(
    (await refusal(link.ready())).message,
    /^redis x: expected a connection within 20ms, got none.*\(connect ECONNREFUSED 127\.0\.0\.1:1\)$/,
  )
  await link.close()
})

/** Passes everything on, until it is told to swallow an answer and hang up. */
async function cuttingProxy(port: number) {
  const { connect } = await import("node:net")
  const open = new Set<Socket>()
  let isCutting = false
  const server = createServer((near) => {
    const far = connect(port, "127.0.0.1")
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(from)
      from.on("error", () => {})
      from.on("close", () => {
        open.delete(from)
        to.destroy()
      })
      from.on("data", (chunk) => {
        if (isCutting && from === far) {
          isCutting = false
          near.destroy()
        } else to.write(chunk)
      })
    }
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    port: (server.address() as { port: number }).port,
    cutNextAnswer: () => {
      isCutting = true
    },
    close: () => {
      for (const socket of open) socket.destroy()
      server.close()
    },
  }
}
