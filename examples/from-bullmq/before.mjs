// Before: mails by BullMQ. Here to be read beside tasks.ts; it needs a Redis and the package, and the tests do not run it.

import { Queue, Worker } from "bullmq"

const connection = { host: "127.0.0.1", port: 6379 }
const queue = new Queue("mails", {
  connection,
  defaultJobOptions: { attempts: 4, backoff: { type: "exponential", delay: 1_000 }, removeOnComplete: { age: 7 * 86_400 } },
})

const worker = new Worker(
  "mails",
  async (job) => {
    const response = await fetch(job.data.url, { method: "POST", signal: AbortSignal.timeout(10_000) })
    if (response.status === 429) {
      await worker.rateLimit(Number(response.headers.get("retry-after") ?? 1) * 1_000)
      throw Worker.RateLimitError()
    }
    if (!response.ok) throw new Error(`the mail service answered ${response.status}`)
    return response.json()
  },
  { connection, concurrency: 20, limiter: { max: 10, duration: 1_000 } },
)

await queue.addBulk([
  { name: "welcome", data: { url: "https://mail.example.com/ada" }, opts: { jobId: "welcome-ada" } },
  { name: "welcome", data: { url: "https://mail.example.com/grace" }, opts: { jobId: "welcome-grace", delay: 1_000 } },
])
