// Shares out jobs between threads. The order of the answers is that of the jobs, whichever comes first.
import { Worker } from "node:worker_threads"

export async function runJobs(jobs, { threads, tell }) {
  const answers = new Array(jobs.length)
  let [next, done] = [0, 0]
  const work = () =>
    new Promise((resolve, reject) => {
      const thread = new Worker(new URL("./thread.mjs", import.meta.url))
      let mine = -1
      const give = () => {
        mine = next++
        if (mine < jobs.length) thread.postMessage(jobs[mine])
        else thread.terminate().then(resolve, reject)
      }
      thread.on("error", reject)
      thread.on("message", ({ result, error, ms }) => {
        if (error) return thread.terminate().then(() => reject(new Error(`${JSON.stringify(jobs[mine])}: ${error}`)), reject)
        answers[mine] = result
        tell(
          `${++done} of ${jobs.length}: ${jobs[mine].cellId ?? jobs[mine].kind}, ${jobs[mine].client ?? "Sluice"}, seed ${jobs[mine].seed}: ${(ms / 1_000).toFixed(1)} s`,
        )
        give()
      })
      give()
    })
  await Promise.all(Array.from({ length: Math.min(threads, jobs.length) }, work))
  return answers
}
