// What Sluice's process keeps: one queue and one worker that goes on, looked at each time another `tasks` have finished.
import { connect, defineTask } from "../../dist/index.js"
import { answer, batches, readArgument, submitBatch, taskType, workerBatch, workerId } from "./phase.mjs"

const { file, tasks, looks } = readArgument()
const queue = await connect(`sqlite:${file}`)
const empty = defineTask(taskType, { run: () => {} })
const worker = queue.worker([empty], { id: workerId, concurrency: workerBatch })

let finished = 0
let wanted = 0
let reached = () => {}
worker.on("task.settled", () => {
  if (++finished === wanted) reached()
})
const running = worker.run()

const seen = []
for (let look = 1; look <= looks; look++) {
  wanted = look * tasks
  const all = new Promise((resolve) => {
    reached = resolve
  })
  for (const size of batches(tasks, submitBatch)) await queue.submitMany(empty, Array(size).fill({}))
  await all
  // A turn later, so that nothing of the last exchange is still on the stack.
  await new Promise(setImmediate)
  globalThis.gc()
  const { heapUsed, rss } = process.memoryUsage()
  seen.push({ finished, heapBytes: heapUsed, rssBytes: rss })
}
worker.stop()
await running
await queue.close()
answer(file, { seen })
