// pg-boss as its documentation recommends for speed: insert() of a thousand; batches of a hundred that are fetched and completed together,
// another as soon as one came full (burst), woken by LISTEN/NOTIFY; no schedules and no supervision meanwhile. Its groups are limited by
// groupConcurrency, which it keeps in the database.
import { PgBoss } from "pg-boss"
import { concurrency, groups, run, url } from "./subject.mjs"

const queue = "empty"
let boss

await run({
  open: async () => {
    boss = new PgBoss({ connectionString: url, max: 10, schedule: false, supervise: false, useListenNotify: true })
    boss.on("error", (error) => {
      throw error
    })
    await boss.start()
    await boss.createQueue(queue, { notify: true })
  },
  submitMany: (inputs) =>
    boss.insert(
      queue,
      inputs.map((data) => ({ data, ...(groups ? { group: { id: `group-${data.n % groups}` } } : {}) })),
    ),
  submit: (input) => boss.send(queue, input),
  work: async (handler) => {
    const limited = groups ? { groupConcurrency: 10 } : {}
    const options = { batchSize: concurrency, pollingIntervalSeconds: 0.5, burstWhenBatchFull: true, localConcurrency: 2, ...limited }
    await boss.work(queue, options, async (jobs) => {
      for (const { data } of jobs) handler(data.n)
    })
  },
  // Once the handlers have ended and what they were given is completed.
  stop: () => boss.stop({ graceful: true, close: false, timeout: 60_000 }),
  close: async () => {},
})
