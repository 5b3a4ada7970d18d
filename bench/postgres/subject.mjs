// What every subject does alike. A subject is a process of its own: it takes one JSON argument, { mode, url, tasks, groups, seconds }, and
// answers with one line of JSON. It says how to submit and how to work; this runs what was asked for.
import { quantile } from "../report/figures.mjs"
import { phase } from "../sqlite/phase.mjs"

export const { mode, url, tasks, groups, seconds } = JSON.parse(process.argv[2])
export const submitBatch = 1_000
/** Of Sluice: what others call their batch, and hold in a local queue. Two exchanges of a hundred are then under way at once. */
export const concurrency = 200
const perSecond = 100
/** Whoever needs longer is stopped then: its rate is that of the part that it did. */
const mostMs = 30_000

/**
 * `open()` makes a queue; `submitMany(inputs)`, `submit(input)`; `work(handler)` resolves once it works; `stop()` ends it and resolves
 * when everything that was started is settled.
 */
export async function run(subject) {
  await subject.open()
  if (mode === "rate") await rate(subject)
  else await latency(subject)
}

async function rate(subject) {
  const submit = await phase(async () => {
    for (let from = 0; from < tasks; from += submitBatch)
      await subject.submitMany(Array.from({ length: Math.min(submitBatch, tasks - from) }, (_, i) => ({ n: from + i })))
    return tasks
  })
  const work = await phase(async () => {
    let started = 0
    await new Promise((resolve, reject) => {
      const timer = setTimeout(resolve, mostMs)
      const handler = () => {
        if (++started !== tasks) return
        clearTimeout(timer)
        resolve()
      }
      subject.work(handler).catch(reject)
    })
    await subject.stop()
    return started
  })
  await subject.close()
  console.log(JSON.stringify({ submit, work }))
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
