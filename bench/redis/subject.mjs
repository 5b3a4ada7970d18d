// What every subject does alike. A subject is a process of its own: it takes one JSON argument, { port, tasks, groups, seconds }, and
// answers with one line of JSON. It exports how to submit and how to work; this runs what was asked for.
import { createClient } from "@redis/client"
import { quantile } from "../report/figures.mjs"
import { phase } from "../sqlite/phase.mjs"

export const { mode, port, tasks, groups, seconds } = JSON.parse(process.argv[2])
export const submitBatch = 1_000
export const concurrency = 100
const perSecond = 100

/** Bytes that the server needs for what waits, by its own account. */
async function usedMemory() {
  const client = createClient({ url: `redis://127.0.0.1:${port}` })
  await client.connect()
  const used = Number(/^used_memory:(\d+)/m.exec(await client.info("memory"))?.[1])
  client.destroy()
  return used
}

/**
 * `open()` makes a queue; `submitMany(inputs)`, `submit(input)`; `work(handler)` resolves once it works; `stop()` ends it and resolves
 * when everything that was started is settled; `finished()` counts, where it can.
 */
export async function run(subject) {
  await subject.open()
  if (mode === "rate") await rate(subject)
  else await latency(subject)
}

async function rate(subject) {
  const before = await usedMemory()
  const submit = await phase(async () => {
    for (let from = 0; from < tasks; from += submitBatch)
      await subject.submitMany(Array.from({ length: Math.min(submitBatch, tasks - from) }, (_, i) => ({ n: from + i })))
    return tasks
  })
  const bytes = ((await usedMemory()) - before) / tasks
  const work = await phase(async () => {
    let started = 0
    await new Promise((resolve, reject) => {
      const handler = () => {
        if (++started === tasks) resolve()
      }
      subject.work(handler).catch(reject)
    })
    await subject.stop()
    return tasks
  })
  await subject.close()
  console.log(JSON.stringify({ submit, work, bytes }))
  process.exit()
}

async function latency(subject) {
  const sentAtMs = new Map()
  const waits = []
  await subject.work((n) => {
    waits.push(performance.now() - sentAtMs.get(n))
  })
  const total = perSecond * seconds
  const startedAtMs = performance.now()
  for (let n = 0; n < total; n++) {
    const dueAtMs = startedAtMs + (n * 1_000) / perSecond
    const restMs = dueAtMs - performance.now()
    if (restMs > 0) await new Promise((resolve) => setTimeout(resolve, restMs))
    sentAtMs.set(n, performance.now())
    void subject.submit({ n })
  }
  while (waits.length < total) await new Promise((resolve) => setTimeout(resolve, 10))
  await subject.stop()
  await subject.close()
  // The first second warms up.
  const counted = waits.slice(perSecond)
  console.log(JSON.stringify({ p50: quantile(counted, 0.5), p99: quantile(counted, 0.99) }))
  process.exit()
}
