// Many clients and many open streams at once: no answer is an error, every stream tells the last change, nothing is kept of what is over.
// Bounded by counts; `npm run bench -- http` does the same for a minute.

import assert from "node:assert/strict"
import { mkdtempSync, rmSync } from "node:fs"
import { Agent } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { it } from "node:test"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { type Stage, stage } from "./kit.ts"
import { Listener } from "./listener.ts"

const clients = 200
const streams = 50
const requestsEach = 5
/** A thing of half a kilobyte that is kept for each request would show in every wave; what the engine itself keeps comes and goes. */
const mostGrownBytes = clients * requestsEach * 512
/** The first is for what is made once. */
const waves = 4

/** What never ends is told as a failure. */
const stuckMs = 600_000

setFlagsFromString("--expose-gc")
const collect = runInNewContext("gc") as () => void

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

async function heapBytes(): Promise<number> {
  // A turn between: what was finished in the last one is let go of in the next.
  for (let i = 0; i < 3; i++) {
    collect()
    await turn()
  }
  return process.memoryUsage().heapUsed
}

/** One client: one connection, one thing after the other. Answers with the statuses that it got. */
async function client({ ask }: Stage, agent: Agent): Promise<number[]> {
  const statuses: number[] = []
  const asked = async (path: string, body?: unknown) => {
    const answer = await ask(path, { agent, ...(body === undefined ? {} : { body }) })
    statuses.push(answer.status)
    return answer
  }
  const { id } = (await asked("/api/v1/tasks", { task_type: "mail", input: { to: "ada" } })).json<{ id: string }>()
  await asked(`/api/v1/tasks/${id}`)
  await asked(`/api/v1/tasks/${id}/explain`)
  await asked("/api/v1/tasks?limit=5")
  await asked(`/api/v1/tasks/${id}/cancel`, {})
  return statuses
}

/** All clients at once; then a last change, which every stream must tell. */
async function wave(server: Stage, agents: readonly Agent[], listeners: readonly Listener[]): Promise<number> {
  const statuses = (await Promise.all(agents.map((agent) => client(server, agent)))).flat()
  assert.equal(statuses.length, clients * requestsEach)
  assert.deepEqual([...new Set(statuses)].sort(), [200, 201])
  await server.queue.submit("last", {})
  const counts = await server.queue.counts()
  const isLast = (told: typeof counts) => told.pending === counts.pending && told.cancelled === counts.cancelled
  await Promise.all(listeners.map((listener) => listener.until("counts", isLast)))
  for (const listener of listeners) listener.forget()
  return heapBytes()
}

it(`${clients} clients and ${streams} streams at once: no error, the last change told to all, and nothing kept of it`, {
  timeout: stuckMs,
}, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-soak-"))
  const server = await stage({}, {}, `sqlite:${join(folder, "soak.db")}?durability=normal`)
  t.after(async () => {
    await server.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const agents = Array.from({ length: clients }, () => new Agent({ keepAlive: true, maxSockets: 1 }))
  const topics = ["counts", "counts,overview", "counts,limits,jobs", "counts,workers,schedules"]
  const listeners = await Promise.all(
    Array.from({ length: streams }, (_, i) => Listener.open(server, `topics=${topics[i % topics.length]}`)),
  )
  const heaps: number[] = []
  for (let i = 0; i < waves; i++) heaps.push(await wave(server, agents, listeners))
  const grown = heaps.slice(2).map((bytes, i) => bytes - (heaps[i + 1] ?? 0))
  t.diagnostic(`grown by ${grown.join(", ")} bytes`)
  assert.ok(Math.min(...grown) < mostGrownBytes, `expected at most ${mostGrownBytes} bytes more after a wave of requests, got ${grown}`)

  const { app } = server.server
  const { watcher } = app.realms.default
  assert.deepEqual([app.openStreams, watcher.watching], [streams, streams])
  for (const agent of agents) agent.destroy()
  for (const listener of listeners) listener.close()
  const left = async () => [app.openStreams, watcher.watching, watcher.news.waiting, await server.server.openConnections()]
  while ((await left()).some((count) => count > 0)) await turn()
})
