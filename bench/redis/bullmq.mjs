// BullMQ as its documentation recommends for speed: addBulk, one worker with a high concurrency, jobs removed when they are completed.
// Its rate limiter is for the whole queue; groups are part of its commercial edition. With groups it is on, wide enough to hold nobody.
import { Queue, Worker } from "bullmq"
import { concurrency, groups, port, run } from "./subject.mjs"

const connection = { host: "127.0.0.1", port, maxRetriesPerRequest: null }
let queue
let worker

await run({
  open: async () => {
    queue = new Queue("empty", { connection, defaultJobOptions: { removeOnComplete: true } })
    await queue.waitUntilReady()
  },
  submitMany: (inputs) => queue.addBulk(inputs.map((data) => ({ name: "empty", data }))),
  submit: (input) => queue.add("empty", input),
  work: async (handler) => {
    const limiter = groups ? { limiter: { max: 100_000, duration: 1_000 } } : {}
    worker = new Worker("empty", async (job) => handler(job.data.n), { connection, concurrency, ...limiter })
    await worker.waitUntilReady()
  },
  stop: () => worker.close(),
  close: () => queue.close(),
})
