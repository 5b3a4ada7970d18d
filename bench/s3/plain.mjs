// The plain design beside it, as queues on object storage are written: one object for each task, a ready index and a lease index that are
// listed, every change of a task by compare-and-set on its ETag. Well tuned: 32 tasks at a time, listings of a thousand shared among
// them, connections kept. One process, which first submits and then works.
import { Client } from "../../dist/stores/s3/client.js"
import { credentialChain } from "../../dist/stores/s3/credentials.js"
import { parseLocation } from "../../dist/stores/s3/location.js"
import { systemWorld } from "../../dist/world/index.js"

const { url, tasks, inFlight, offset = 0, mode } = JSON.parse(process.argv[2])
const location = parseLocation(url)
const credentials = credentialChain(location, systemWorld, {})
const { bucket, endpoint, prefix } = location
const client = new Client({ world: systemWorld, bucket, endpoint, region: "us-east-1", credentials, deadlineMs: 30_000 })
const key = (...parts) => [prefix, ...parts].join("/")
const text = (reply) => Buffer.from(reply.body).toString("utf8")
const shards = 16
const shardOf = (id) => (Number.parseInt(id.slice(-4), 36) || 0) % shards

async function expect(asked, ...statuses) {
  for (let tries = 0; tries < 8; tries++) {
    const reply = await client.send(asked)
    if (statuses.includes(reply.status)) return reply
    if (reply.status < 500) throw new Error(`plain: ${asked.method} ${asked.key}: expected ${statuses}, got ${reply.status} ${text(reply)}`)
  }
  throw new Error(`plain: ${asked.method} ${asked.key}: the server stays busy`)
}

const put = (name, value, headers = {}) => ({ method: "PUT", key: name, body: Buffer.from(JSON.stringify(value)), headers })
const etagOf = (reply) => (reply.headers.get("etag") ?? "").replaceAll('"', "")

async function submit(n) {
  const id = `task-${String(n).padStart(8, "0")}`
  await expect(put(key("tasks", id), { id, status: "pending", input: {} }, { "if-none-match": "*" }), 200)
  await expect(put(key("ready", String(shardOf(id)), id), {}), 200)
}

async function* ready() {
  for (let empty = 0; empty < shards; ) {
    for (let shard = 0; shard < shards; shard++) {
      const query = { "list-type": "2", prefix: key("ready", String(shard), ""), "max-keys": "1000" }
      const found = [...text(await expect({ method: "GET", key: "", query }, 200)).matchAll(/<Key>([^<]*)<\/Key>/g)]
      empty = found.length === 0 ? empty + 1 : 0
      for (const [, name] of found) yield name.split("/").at(-1)
    }
  }
}

/** Read, claim by compare-and-set, drop the ready entry, note the lease, run, settle by compare-and-set, drop the lease. */
async function work(id) {
  const read = await expect({ method: "GET", key: key("tasks", id) }, 200, 404)
  if (read.status === 404) return false
  const task = JSON.parse(text(read))
  if (task.status !== "pending") return false
  const claimed = await expect(put(key("tasks", id), { ...task, status: "running", fence: 1 }, { "if-match": etagOf(read) }), 200, 412)
  if (claimed.status === 412) return false
  await expect({ method: "DELETE", key: key("ready", String(shardOf(id)), id) }, 204)
  await expect(put(key("leases", id), { until: Date.now() + 30_000 }), 200)
  const settled = put(key("tasks", id), { ...task, status: "completed", fence: 1 }, { "if-match": etagOf(claimed) })
  await expect(settled, 200)
  await expect({ method: "DELETE", key: key("leases", id) }, 204)
  return true
}

async function inParallel(items, each) {
  const source = items[Symbol.asyncIterator]?.() ?? items[Symbol.iterator]()
  let count = 0
  let next = Promise.resolve()
  const take = () => {
    const item = next.then(() => source.next())
    next = item.catch(() => {})
    return item
  }
  const one = async () => {
    for (let item = await take(); !item.done; item = await take()) if ((await each(item.value)) !== false) count++
  }
  await Promise.all(Array.from({ length: inFlight }, one))
  return count
}

const startedAtMs = performance.now()
const numbers = Array.from({ length: tasks }, (_, i) => offset + i)
const count = mode === "submit" ? await inParallel(numbers, submit) : await inParallel(ready(), work)
process.send({ count, ms: performance.now() - startedAtMs }, () => process.exit())
