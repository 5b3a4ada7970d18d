// Waiting: one connection listens, nothing polls, and an exchange is one round trip, by the server's own count.

import assert from "node:assert/strict"
import { it } from "node:test"
import { adminOf, exchange, freshNamespace, openRedis, ownServer, patience, submission } from "./kit.ts"

const never = new AbortController().signal

it("who waits is woken by another's step, without having asked anything", patience, async (test) => {
  const server = await ownServer(test)
  const namespace = freshNamespace()
  const [waiting, other] = [await openRedis(test, server.url, { namespace }), await openRedis(test, server.url, { namespace })]
  await waiting.wait({ workerId: "w" }, never)
  const admin = await adminOf(test, server.url)
  await admin.text("CONFIG", "RESETSTAT")
  for (let round = 0; round < 20; round++) {
    const woken = Promise.all(Array.from({ length: 5 }, () => waiting.wait({ workerId: "w" }, never)))
    await other.submit(submission(`${round}`))
    await woken
  }
  const { fcall, publish, subscribe, ping } = await admin.calls()
  assert.deepEqual({ fcall, publish, subscribe, ping }, { fcall: 20, publish: 20, subscribe: undefined, ping: undefined })
})

it("news of another namespace wakes nobody", patience, async (test) => {
  const server = await ownServer(test)
  const [waiting, other] = [await openRedis(test, server.url), await openRedis(test, server.url)]
  await waiting.wait({ workerId: "w" }, never)
  let isWoken = false
  const stop = new AbortController()
  const wait = waiting.wait({ workerId: "w" }, stop.signal).then(() => {
    isWoken = !stop.signal.aborted
  })
  await other.submit(submission("a"))
  // The server has sent to all who listen before it answers this.
  await waiting.now({})
  stop.abort()
  await wait
  assert.equal(isWoken, false)
})

it("nobody listens before somebody waits", patience, async (test) => {
  const server = await ownServer(test)
  const store = await openRedis(test, server.url)
  const admin = await adminOf(test, server.url)
  await store.submit(submission("a"))
  const clients = async () => Number(/connected_clients:(\d+)/.exec(await admin.text("INFO", "clients"))?.[1])
  assert.equal(await clients(), 2)
  await store.wait({ workerId: "w" }, never)
  assert.equal(await clients(), 3)
  await store.close()
  await admin.until(async () => (await clients()) === 1)
})

it(
  "whoever waits at a store that was closed waits until he is told to go: in a loop he would let nothing else happen",
  patience,
  async (test) => {
    const store = await openRedis(test, (await ownServer(test)).url)
    await store.close()
    const controller = new AbortController()
    let isOver = false
    const waiting = store.wait({ workerId: "w" }, controller.signal).then(() => {
      isOver = true
    })
    await new Promise((resolve) => setImmediate(resolve))
    assert.equal(isOver, false)
    controller.abort()
    await waiting
  },
)

it("an exchange is one command, whatever it does", patience, async (test) => {
  const server = await ownServer(test)
  const store = await openRedis(test, server.url)
  for (let i = 0; i < 20; i++) await store.submit(submission(`${i}`))
  const admin = await adminOf(test, server.url)
  const reads = async () => Number(/total_reads_processed:(\d+)/.exec(await admin.text("INFO", "stats"))?.[1])
  const { fcall: before = 0 } = await admin.calls()
  const received = await reads()
  const { claimed } = await store.exchange(exchange(1))
  const outcome = { kind: "completed", output: "1" } as const
  const settles = claimed.map(({ id, fence }) => ({ id, fence, outcome, spent: [], sentAgoMs: null, respondedAgoMs: null, rttMs: null }))
  const second = await store.exchange({ ...exchange(2), settles })
  assert.equal(claimed.length + second.claimed.length, 20)
  assert.deepEqual(
    second.settled,
    claimed.map(() => ({ kind: "ok", status: "completed" })),
  )
  // Both, and the question how many before.
  assert.equal((await reads()) - received, 3)
  assert.equal((await admin.calls()).fcall, before + 2)
})
