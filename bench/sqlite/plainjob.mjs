// plainjob at its best in one process: addMany in one transaction a batch, a worker that logs nothing and never polls, because
// there is always a next job. Its driver is better-sqlite3, with the settings plainjob itself makes, but for the durability.
import Database from "better-sqlite3"
import { better, defineQueue, defineWorker, JobStatus } from "plainjob"
import { answer, batches, expectFinished, phase, readArgument, submitBatch, taskType } from "./phase.mjs"

const { file, tasks, durability, longestWorkMs } = readArgument()
const nothing = () => {}
const logger = { debug: nothing, info: nothing, warn: nothing, error: console.error }

const database = new Database(file)
const queue = defineQueue({ connection: better(database), logger })
// plainjob asks for NORMAL when the queue is defined; this comes after it.
database.pragma(`synchronous = ${durability}`)

let done = 0
let stopAtMs = Number.POSITIVE_INFINITY
const worker = defineWorker(taskType, nothing, {
  queue,
  logger,
  onCompleted: () => {
    // A flush to disk for every job may take many minutes for all of them; a part of them tells the rate as well.
    if (++done === tasks || performance.now() > stopAtMs) void worker.stop()
  },
})

const submit = await phase(() => {
  for (const size of batches(tasks, submitBatch)) queue.addMany(taskType, Array(size).fill({}))
  return tasks
})
const work = await phase(async () => {
  stopAtMs = performance.now() + longestWorkMs
  await worker.start()
  return done
})

expectFinished("plainjob", queue.countJobs({ status: JobStatus.Done }), done)
const version = database.prepare("SELECT sqlite_version()").pluck().get()
queue.close()
answer(file, { submit, work, driver: `better-sqlite3, SQLite ${version}` })
