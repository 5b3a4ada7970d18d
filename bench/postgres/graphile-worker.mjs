// graphile-worker with the settings of its own performance page: 24 jobs at once over 25 connections, a local queue of 500, completions in
// batches as they come; addJobs of a thousand. Groups are its named queues, of which each runs one job at a time.
import { Logger, makeWorkerUtils, run as start } from "graphile-worker"
import pg from "pg"
import { groups, run, url } from "./subject.mjs"

const pool = new pg.Pool({ connectionString: url, max: 25 })
pool.on("error", () => {})
pool.on("connect", (client) => client.on("error", () => {}))
const logger = new Logger(() => () => {})
const preset = {
  worker: {
    concurrentJobs: 24,
    maxPoolSize: 25,
    localQueue: { size: 500 },
    completeJobBatchDelay: 0,
    failJobBatchDelay: 0,
  },
}
let utils
let runner

const specOf = (payload) => ({
  identifier: "empty",
  payload,
  ...(groups ? { queueName: `group-${payload.n % groups}` } : {}),
})

await run({
  open: async () => {
    utils = await makeWorkerUtils({ pgPool: pool, logger })
    await utils.migrate()
  },
  submitMany: (inputs) => utils.addJobs(inputs.map(specOf)),
  submit: (input) => utils.addJob("empty", input),
  work: async (handler) => {
    runner = await start({
      preset,
      pgPool: pool,
      logger,
      noHandleSignals: true,
      taskList: { empty: async (payload) => handler(payload.n) },
    })
  },
  stop: () => runner.stop(),
  close: async () => {
    await utils.release()
    await pool.end()
  },
})
