// bee-queue with the settings of its own benchmark: no events, no jobs kept in memory, jobs removed on success, saveAll. It has no limits.
import Queue from "bee-queue"
import { concurrency, port, run } from "./subject.mjs"

const settings = { redis: { host: "127.0.0.1", port }, getEvents: false, sendEvents: false, storeJobs: false, removeOnSuccess: true }
let producer
let consumer

await run({
  open: async () => {
    producer = new Queue("empty", { ...settings, isWorker: false })
    await producer.ready()
  },
  submitMany: (inputs) => producer.saveAll(inputs.map((data) => producer.createJob(data))),
  submit: (input) => producer.createJob(input).save(),
  work: async (handler) => {
    consumer = new Queue("empty", settings)
    consumer.process(concurrency, async (job) => handler(job.data.n))
    await consumer.ready()
  },
  stop: () => consumer.close(30_000),
  close: () => producer.close(),
})
