// A process of the start part: fills a namespace and writes its snapshot, or opens it; tells what it took, and ends.
const batch = 1_000
const perClaim = 100

async function fill({ url, finished, live }) {
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

async function start({ url }) {
  const { connect } = await import("../../dist/index.js")
  const startedAtMs = performance.now()
  const queue = await connect(url)
  const startMs = performance.now() - startedAtMs
  const { completed } = await queue.counts()
  const { rss } = process.memoryUsage()
  global.gc()
  return { startMs, completed, rss, heap: process.memoryUsage().heapUsed }
}

const { mode, ...asked } = JSON.parse(process.argv[2])
process.send(await (mode === "fill" ? fill(asked) : start(asked)), () => process.exit())
