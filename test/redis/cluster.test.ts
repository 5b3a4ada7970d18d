// On a cluster a namespace is in one slot: the node that has it is found from any other, also after it has moved, and while it moves
// nothing is done by halves.

import assert from "node:assert/strict"
import { after, before, it, type TestContext } from "node:test"
import { startCluster, type TestCluster } from "../engines/redis-cluster.ts"
import { freshNamespace, openRedis, ownServer, patience, submission } from "./kit.ts"
import { refusal } from "./refusal.ts"

let cluster: TestCluster

before(async () => {
  cluster = await startCluster()
})
after(() => cluster.remove())

const nodeAt = (i: number) => {
  const node = cluster.nodes[i]
  if (!node) throw new Error(`no node ${i}`)
  return node
}
const urlOf = (i: number) => `${nodeAt(i).server.url}?cluster=true`
const pending = async (store: Awaited<ReturnType<typeof openRedis>>) => (await store.counts({ type: null })).byStatus.pending

async function ownerOf(namespace: string) {
  const slot = await nodeAt(0).admin.text("CLUSTER", "KEYSLOT", `sluice:{${namespace}}:`)
  for (const [i, { admin }] of cluster.nodes.entries()) {
    if (Number(await admin.text("CLUSTER", "COUNTKEYSINSLOT", slot)) > 0) return { owner: i, other: (i + 1) % 3, slot }
  }
  throw new Error(`nobody has ${namespace}`)
}

it("many namespaces are spread over all nodes, and each is found from each", patience, async (test) => {
  const owners = new Set<number>()
  for (let round = 0; round < 12; round++) {
    const namespace = freshNamespace()
    for (const i of [0, 1, 2]) await (await openRedis(test, urlOf(i), { namespace })).submit(submission(`${i}`))
    assert.equal(await pending(await openRedis(test, urlOf(0), { namespace })), 3)
    owners.add((await ownerOf(namespace)).owner)
  }
  assert.equal(owners.size, 3, "expected twelve namespaces to be on all three nodes")
})

it("a node that is away is passed over while another is named", patience, async (test) => {
  const gone = await ownServer(test)
  await gone.kill()
  const store = await openRedis(test, `redis://127.0.0.1:${gone.port},127.0.0.1:${nodeAt(1).server.port}`)
  await store.submit(submission("a"))
  assert.equal(await pending(store), 1)
})

it("news reaches who waits", patience, async (test) => {
  const namespace = freshNamespace()
  const [waiting, other] = [await openRedis(test, urlOf(0), { namespace }), await openRedis(test, urlOf(1), { namespace })]
  const signal = new AbortController().signal
  await waiting.wait({ workerId: "w" }, signal)
  const woken = waiting.wait({ workerId: "w" }, signal)
  await other.submit(submission("a"))
  await woken
})

it("a slot that moves to another node: no step while it moves, and all is there afterwards", patience, async (test) => {
  const namespace = freshNamespace()
  const store = await openRedis(test, urlOf(0), { namespace })
  await store.submit(submission("before"))
  const { owner, other, slot } = await ownerOf(namespace)
  const [from, to] = [nodeAt(owner), nodeAt(other)]
  await to.admin.text("CLUSTER", "SETSLOT", slot, "IMPORTING", from.id)
  await from.admin.text("CLUSTER", "SETSLOT", slot, "MIGRATING", to.id)
  await assertMoving(store, test)
  const keys = (await from.admin.reply("CLUSTER", "GETKEYSINSLOT", slot, "1000")) as string[]
  await from.admin.text("MIGRATE", "127.0.0.1", String(to.server.port), "", "0", "5000", "KEYS", ...keys)
  await assertMoving(store, test)
  for (const { admin } of [to, from, nodeAt(3 - owner - other)]) await admin.text("CLUSTER", "SETSLOT", slot, "NODE", to.id)
  await store.submit(submission("after"))
  assert.equal(await pending(store), 2)
  assert.equal((await ownerOf(namespace)).owner, other)
})

async function assertMoving(store: Awaited<ReturnType<typeof openRedis>>, test: TestContext): Promise<void> {
  const error = await refusal(store.submit(submission("while it moves")))
  test.diagnostic(error.message)
  assert.equal(error.code, "store_unavailable")
  assert.match(error.message, /slot is being moved/)
}

it("a node of a cluster that is taken for a server of its own is told apart, and the other way round", patience, async (test) => {
  const node = await refusal(openRedis(test, nodeAt(0).server.url))
  assert.equal(node.code, "store_unfit")
  assert.match(node.message, /\?cluster=true/)
  const single = await ownServer(test)
  const server = await refusal(openRedis(test, `${single.url}?cluster=true`))
  assert.equal(server.code, "store_unfit")
  assert.match(server.message, /server of its own/)
})

it("doctor tells of the cluster", patience, async (test) => {
  const { facts } = await (await openRedis(test, urlOf(0))).describe()
  assert.equal(facts.cluster, "yes")
  assert.equal(facts.mode, "cluster")
})
