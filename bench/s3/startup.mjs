// How long a process takes to open a namespace that holds much, and how much memory it needs then. Makes the state by the steps themselves,
// writes its snapshot, and opens it in a process of its own: node bench/s3/startup.mjs [finished] [live]
import { fork } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { startServer } from "./server.mjs"

const [finished = 1_000_000, live = 100_000] = process.argv.slice(2).map(Number)
const batch = 1_000
const perClaim = 100

async function fill(url) {
  const { Replica } = await import("../../dist/stores/s3/replica.js")
  const { capture, saveSnapshot } = await import("../../dist/stores/s3/snapshot.js")
  const { reach } = await import("../../dist/stores/s3/reach.js")
  const { systemWorld } = await import("../../dist/world/index.js")
  const replica = new Replica()
  const startMs = Date.now() - 3_600_000
  let number = 0
  const apply = (op, request) => {
    let answer
    const head = { layout: 1, number: ++number, writer: "bench", attempt: number, atMs: startMs + number, errorMs: 0 }
    replica.apply({ head, bytes: 0, requests: [{ id: "r", op, waitedMs: 0, request }] }, (_id, applied) => {
      if (applied.kind === "failed") throw applied.error
      answer = applied.answer
    })
    return answer
  }
  const task = (n) => ({
    ...{
      id: `01a1ec73-${String(n).padStart(12, "0")}-7000`,
      type: "empty",
      input: "{}",
      priority: 0,
      tags: [],
      jobId: null,
      flow: "empty",
    },
    ...{ gates: [], schedule: null, expiry: null, maxRetries: 3, maxReschedules: null, maxThrottles: null, timeoutMs: 300_000 },
    ...{ idempotencyKey: null, inputDigest: null },
  })
  for (let from = 0; from < finished + live; from += batch)
    apply("submit", { tasks: Array.from({ length: Math.min(batch, finished + live - from) }, (_, i) => task(from + i)) })
  let settles = []
  for (let done = 0, claims = 1; done < finished; claims++) {
    const claim = { number: claims, types: [{ type: "empty", room: perClaim }], max: Math.min(perClaim, finished - done) }
    const { claimed } = apply("exchange", { workerId: "bench", leaseMs: 3_600_000, heartbeats: [], settles, claim })
    settles = claimed.map(({ id, fence }) => ({
      ...{ id, fence, outcome: { kind: "completed", output: null }, spent: [], sentAgoMs: null, respondedAgoMs: null, rttMs: null },
    }))
    done += claimed.length
  }
  apply("exchange", { workerId: "bench", leaseMs: 3_600_000, heartbeats: [], settles, claim: null })
  const { objects, keys } = await reach({ url, namespace: "default", world: systemWorld })
  const capturedAtMs = performance.now()
  const captured = capture(replica)
  const captureMs = performance.now() - capturedAtMs
  const writtenAtMs = performance.now()
  await saveSnapshot(objects, keys, captured, "bench")
  const { objects: listed } = await objects.list(keys.snapshots)
  objects.close()
  return { captureMs, writeMs: performance.now() - writtenAtMs, bytes: listed[0].bytes }
}

if (process.send) {
  const { connect } = await import("../../dist/index.js")
  const startedAtMs = performance.now()
  const queue = await connect(process.env.STORE_URL)
  const ms = performance.now() - startedAtMs
  const counts = await queue.counts()
  global.gc?.()
  process.send({ ms, counts, rss: process.memoryUsage().rss, heap: process.memoryUsage().heapUsed }, () => process.exit())
} else {
  const server = await startServer()
  const url = new URL(server.url)
  url.pathname = `/startup-${Date.now()}`
  const filled = await fill(url.href)
  const options = { env: { ...process.env, STORE_URL: url.href }, execArgv: ["--expose-gc"] }
  const [opened] = await once(fork(fileURLToPath(import.meta.url), options), "message")
  console.log(JSON.stringify({ finished, live, ...filled, ...opened }, null, 2))
  await server.stop()
  process.exit()
}
