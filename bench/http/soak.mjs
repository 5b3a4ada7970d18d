// Many clients and many open event streams at once, for so long: each client is a connection that asks for one thing after the other, each
// stream a live view as the dashboard has it. Every answer that is not as expected is an error, and so is a stream that ends, or that does
// not tell how it all ended. What the server's process keeps is looked at every sixth of the time, after a full garbage collection.
import { setTimeout as after } from "node:timers/promises"
import { connect, defineTask } from "../../dist/index.js"
import { quantile, whole } from "../report/figures.mjs"
import { Client } from "./client.mjs"
import { input, type } from "./operations.mjs"
import { Stream } from "./stream.mjs"

const looks = 6
const lastWordMs = 10_000
const workerConcurrency = 50
const topics = ["counts,overview,samples", "counts,limits", "counts,jobs,workers", "counts,schedules"]

/** One thing after the other, as a program that submits and looks on would. */
async function round(client, timed) {
  const { id } = await timed(client.ask("POST", "/api/v1/tasks", { task_type: type, input }, 201))
  await timed(client.ask("GET", `/api/v1/tasks/${id}`))
  await timed(client.ask("GET", "/api/v1/tasks?limit=20"))
  await timed(client.ask("GET", `/api/v1/tasks/${id}/explain`))
  await timed(client.ask("GET", "/api/v1/counts"))
}

export async function soak({ url, clients, streams, seconds, mark, tell }) {
  const errors = []
  const times = []
  const timed = async (asked) => {
    const startedAtMs = performance.now()
    const answer = await asked
    times.push(performance.now() - startedAtMs)
    return answer
  }
  const views = await Promise.all(Array.from({ length: streams }, (_, i) => Stream.open(url, topics[i % topics.length])))
  const { isOver, work } = startWorker(await connect(url))
  const until = performance.now() + seconds * 1_000
  const client = async () => {
    const connection = new Client(url, 1)
    while (performance.now() < until) await round(connection, timed).catch((error) => errors.push(error.message))
    connection.close()
  }
  const all = Array.from({ length: clients }, client)
  const seen = []
  for (let look = 1; look <= looks; look++) {
    await after((seconds * 1_000) / looks)
    const marked = await mark()
    seen.push({ second: (seconds / looks) * look, requests: times.length, ...marked })
    tell(`soak: ${whole(times.length)} requests, ${errors.length} errors, heap ${whole(marked.heapBytes / 1_024)} KiB`)
  }
  await Promise.all(all)
  isOver.abort()
  await work
  const { counts } = await mark()
  for (const view of views) if (!(await view.tellsCounts(counts, lastWordMs))) errors.push("a stream did not tell how it ended")
  const events = views.reduce((sum, view) => sum + view.events, 0)
  for (const view of views) view.close()
  await after(1_000)
  seen.push({ second: null, requests: times.length, ...(await mark()) })
  const figures = { perS: times.length / seconds, p50: quantile(times, 0.5), p99: quantile(times, 0.99) }
  return {
    requests: times.length,
    ...figures,
    events,
    completed: counts.completed,
    errors: errors.length,
    firstErrors: errors.slice(0, 5),
    seen,
  }
}

function startWorker(queue) {
  const isOver = new AbortController()
  const empty = defineTask(type, { run: () => {} })
  const work = queue
    .worker([empty], { concurrency: workerConcurrency })
    .run({ signal: isOver.signal })
    .then(() => queue.close())
  return { isOver, work }
}
