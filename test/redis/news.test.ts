// Who hears of what: those who wait beside the one who submits ask behind him, and the server's message of it is for others.

import assert from "node:assert/strict"
import { it, type TestContext } from "node:test"
import { loadDriver } from "../../src/stores/redis/driver.ts"
import { Link } from "../../src/stores/redis/link.ts"
import { parseLocation } from "../../src/stores/redis/location.ts"
import { channelOf, News } from "../../src/stores/redis/news.ts"
import { sharedRedis } from "../engines/redis.ts"
import { adminOf, exchange, freshNamespace, openRedis, ownServer, patience, submission } from "./kit.ts"

const never = new AbortController().signal

it(
  "who waits in the same store claims what was submitted in the same round trip, and is not woken again for it",
  patience,
  async (test) => {
    const server = await ownServer(test)
    const namespace = freshNamespace()
    const [store, other] = [await openRedis(test, server.url, { namespace }), await openRedis(test, server.url, { namespace })]
    await Promise.all([store, other].map((one) => one.wait({ workerId: "w" }, never)))
    const admin = await adminOf(test, server.url)
    // Busy for so long that the claim is sent before the submission can have been answered, and before anybody was told of it by the server.
    await admin.text("CLIENT", "PAUSE", "200", "ALL")
    const elsewhere = other.wait({ workerId: "other" }, never)
    const woken = store.wait({ workerId: "w" }, never)
    let isAnswered = false
    const submitted = store.submit(submission("a")).then(() => {
      isAnswered = true
    })
    await woken
    assert.equal(isAnswered, false)
    let isWokenAgain = false
    const stop = new AbortController()
    const again = store.wait({ workerId: "w" }, stop.signal).then(() => {
      isWokenAgain = !stop.signal.aborted
    })
    const { claimed } = await store.exchange(exchange(1))
    assert.deepEqual(
      claimed.map(({ id }) => id),
      ["a"],
    )
    await Promise.all([submitted, elsewhere])
    // The server has sent to all who listen before it answers this.
    await store.now({})
    assert.equal(isWokenAgain, false)
    stop.abort()
    await again
  },
)

async function listening(test: TestContext) {
  const url = await sharedRedis()
  const location = parseLocation(url)
  const [host] = location.hosts
  const options = { place: "redis", patienceMs: 5_000, connect: await loadDriver(location), locate: async () => host }
  const base = `sluice:{${freshNamespace()}}:`
  const link = new Link(options)
  const news = new News(options, base, link)
  test.after(() => Promise.all([link.close(), news.close()]))
  await news.wait(never)
  const say = async (sender: string) => (await link.ready()).send(["PUBLISH", channelOf(base), sender])
  return { link, news, say }
}

it("a message that names the connection which is asked wakes nobody; of one before it, it does", patience, async (test) => {
  const { link, news, say } = await listening(test)
  const first = await link.ready()
  const heard: string[] = []
  const listen = (name: string) => news.wait(never).then(() => heard.push(name))
  const waiting = listen("another's")
  await say(first.id)
  // The server has sent to all who listen before it answers this.
  await first.send(["PING"])
  assert.deepEqual(heard, [])
  await say("somebody else")
  await waiting
  link.renew(first)
  const afterwards = listen("of a connection before")
  await say(first.id)
  await afterwards
  assert.deepEqual(heard, ["another's", "of a connection before"])
})
