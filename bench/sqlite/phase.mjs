// What every subject measures alike: phases by wall clock and CPU time, and what it leaves behind. A subject is a process of
// its own: it takes one JSON argument and answers with one line of JSON.
import { statSync } from "node:fs"

/** How people would batch: a thousand tasks a submission, a hundred in the hands of a worker. */
export const submitBatch = 1_000
export const workerBatch = 100

export const taskType = "empty"
export const workerId = "bench-worker"

export function readArgument() {
  return JSON.parse(process.argv[2])
}

/** `work` answers with the number of tasks that it has done. */
export async function phase(work) {
  const startedCpu = process.cpuUsage()
  const startedAtMs = performance.now()
  const tasks = await work()
  const ms = performance.now() - startedAtMs
  const { user, system } = process.cpuUsage(startedCpu)
  return { tasks, ms, tasksPerS: (tasks / ms) * 1_000, cpuUs: (user + system) / tasks }
}

export function* batches(total, size) {
  for (let from = 0; from < total; from += size) yield Math.min(size, total - from)
}

/** A run that left anything unfinished has measured something else. */
export function expectFinished(what, finished, tasks) {
  if (finished !== tasks) throw new Error(`${what}: expected ${tasks} finished tasks, got ${finished}`)
}

export function answer(file, result) {
  const bytes = [file, `${file}-wal`].map((path) => statSync(path, { throwIfNoEntry: false })?.size ?? 0)
  console.log(JSON.stringify({ ...result, fileBytes: bytes[0], walBytes: bytes[1], peakRssBytes: process.resourceUsage().maxRSS * 1_024 }))
}
