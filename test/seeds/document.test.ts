// The fourth seed's story from end to end: a document of sixty chunks, four processes on one store, five calls at once over all of them. One
// chunk hangs, and the other side says "too fast" for a while. People see the backoff, nobody counts it as a failure, and all other
// chunks complete.

import { deepEqual, equal, ok } from "node:assert/strict"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { it } from "node:test"
import { fileURLToPath } from "node:url"
import { connect, type Queue } from "../../src/index.ts"
import { systemWorld } from "../../src/world/index.ts"
import { type RedisPlace, redisPlace } from "../engines/redis-place.ts"
import { CommandLine } from "../integration/cli/command-line.ts"
import { httpSide } from "../integration/http-side.ts"
import { atOnce, chunkCount, chunkTask, processes } from "./document.ts"

const hung = 7
/** The other side begins to refuse with this request, until somebody has seen it. */
const refusedFrom = 20

/** Answers, and counts what is under way. */
function provider() {
  const seen = { now: 0, most: 0, asked: 0, refused: 0, isRefusing: false }
  const served = new Map<string, number>()
  const side = httpSide((request, response) => {
    seen.most = Math.max(seen.most, ++seen.now)
    response.on("close", () => seen.now--)
    if (++seen.asked === refusedFrom) seen.isRefusing = true
    if (request.url === `/${hung}`) return
    if (seen.isRefusing) {
      seen.refused++
      response.writeHead(429).end()
      return
    }
    const path = request.url ?? ""
    served.set(path, (served.get(path) ?? 0) + 1)
    setImmediate(() => response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ text: `page ${path}` })))
  })
  return { side, seen, served }
}

async function start(store: string, url: string): Promise<ChildProcess[]> {
  const program = fileURLToPath(new URL("./document-process.js", import.meta.url))
  const children = Array.from({ length: processes }, (_, i) =>
    spawn(process.execPath, [program, store, url, `worker-${i}`], { stdio: ["ignore", "pipe", "inherit"] }),
  )
  await Promise.all(children.map((child) => child.stdout && once(child.stdout, "data")))
  return children
}

/** Asks until it is so: bounded, and woken by the store's news. */
async function until<T>(queue: Queue, ask: () => Promise<T | null>, what: string): Promise<T> {
  const endMs = systemWorld.monotonicMs() + 120_000
  while (systemWorld.monotonicMs() < endMs) {
    const found = await ask()
    if (found !== null) return found
    await queue.store.wait({ workerId: "test" }, AbortSignal.timeout(50))
  }
  throw new Error(`expected ${what} within two minutes`)
}

interface ShownGate {
  readonly gate: string
  readonly backoff_seconds: number
  readonly backoff_attempt: number
  readonly backoff_until: string | null
  readonly rate_limit_count: number
  readonly estimated_delay_seconds: number
  readonly base_concurrency: number
  readonly effective_concurrency: number
}

async function file(): Promise<RedisPlace> {
  const folder = mkdtempSync(join(tmpdir(), "sluice-document-"))
  return { url: `sqlite:${join(folder, "x.db")}`, clear: async () => rmSync(folder, { recursive: true, force: true }) }
}

for (const [name, place] of [
  ["SQLite", file],
  ["Redis", redisPlace],
] as const) {
  it(`the document seed on ${name}: sixty chunks, four processes, one that hangs, a while of 429`, () => story(place))
}

async function story(place: () => Promise<RedisPlace>): Promise<void> {
  const { url: store, clear } = await place()
  const { side, seen, served } = provider()
  const { url, close } = await side
  const queue = await connect(store)
  const line = new CommandLine({ world: systemWorld, env: { SLUICE_STORE: store } })
  const children = await start(store, url)
  const exits = children.map((child) => once(child, "exit"))
  try {
    const task = chunkTask(url)
    const chunks = Array.from({ length: chunkCount }, (_, chunk) => ({ task, input: { chunk } }))
    const { id } = await queue.submitJob("document-1", chunks)

    const gate = await until(
      queue,
      async () => {
        const shown = (await line.sluice("job", "show", id, "--json")).json() as { readonly gates: readonly ShownGate[] }
        return shown.gates.find(({ gate: name, backoff_seconds }) => name === "document-ai" && backoff_seconds > 0) ?? null
      },
      "job show to tell of a backoff",
    )
    seen.isRefusing = false
    ok(gate.backoff_attempt >= 1 && gate.rate_limit_count >= 1 && gate.backoff_until !== null, JSON.stringify(gate))
    ok(gate.backoff_seconds <= 33 && gate.estimated_delay_seconds > 0, JSON.stringify(gate))
    deepEqual([gate.base_concurrency, gate.effective_concurrency], [atOnce, atOnce])
    const during = await queue.jobs.get(id)
    deepEqual([during?.status, during?.failureStreak], ["running", 0])

    const done = await until(
      queue,
      async () => {
        const job = await queue.jobs.get(id)
        return job && job.status !== "running" ? job : null
      },
      "the job to end",
    )
    deepEqual([done.status, done.tasks.completed, done.tasks.failed], ["completed", chunkCount - 1, 1])
    equal(done.throttleCount, seen.refused)
    const { tasks } = await queue.list({ job: id, limit: 100 })
    const failed = tasks.filter(({ status }) => status === "failed")
    deepEqual(
      failed.map(({ input, lastError }) => ({ input, lastError })),
      [{ input: { chunk: hung }, lastError: "timeout" }],
    )
    ok(
      tasks.every(({ retryCount }) => retryCount === 0),
      "expected no refusal to cost a retry",
    )
    deepEqual([...served.values()], new Array(chunkCount - 1).fill(1), "each chunk was served once")
    ok(seen.most <= atOnce, `expected at most ${atOnce} calls at once, got ${seen.most}`)
    ok(seen.most > 1, "expected calls beside each other")
  } finally {
    seen.isRefusing = false
    for (const child of children) child.kill("SIGTERM")
    await Promise.all(exits)
    await queue.close()
    await close()
    await clear()
  }
  deepEqual(
    children.map(({ exitCode }) => exitCode),
    new Array(processes).fill(0),
  )
}
