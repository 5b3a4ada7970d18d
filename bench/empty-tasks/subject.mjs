// What every subject that works off empty tasks on a server does alike. A subject is a process of its own: it takes one JSON argument,
// { mode, url, tasks, groups, seconds }, and answers with one line of JSON. It says how to submit and how to work; this runs what was asked for.
import { quantile } from "../report/figures.mjs"
import { phase, submitBatch } from "../sqlite/phase.mjs"

export const { mode, url, tasks, groups, seconds } = JSON.parse(process.argv[2])
const perSecond = 100

/**
 * `open()` makes a queue; `submitMany(inputs)`, `submit(input)`; `work(handler)` resolves once it works; `stop()` ends it and resolves
 * when everything that was started is settled. `usedBytes()`, where there is one, tells what the server has in memory. Whoever works for longer
 * than `mostMs` is stopped then: its rate is that of the part that it did.
 */
export async function run(subject, mostMs = 2 ** 31 - 1) {
  await subject.open()
  const result = mode === "rate" ? await rate(subject, mostMs) : await latency(subject)
  await subject.close()
  console.log(JSON.stringify(result))
  process.exit()
}

async function rate(subject, mostMs) {
  const before = await subject.usedBytes?.()
  const submit = await phase(async () => {
    for (let from = 0; from < tasks; from += submitBatch)
      await subject.submitMany(Array.from({ length: Math.min(submitBatch, tasks - from) }, (_, i) => ({ n: from + i })))
    return tasks
  })
  const bytes = before === undefined ? {} : { bytes: ((await subject.usedBytes()) - before) / tasks }
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
  return { submit, work, ...bytes }
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
  // The first second warms up.
  const counted = waits.slice(perSecond)
  return { p50: quantile(counted, 0.5), p99: quantile(counted, 0.99) }
}
