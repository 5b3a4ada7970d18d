// Sluice through its public API: submitMany, then one worker with an empty handler.
import { connect, defineTask } from "../../dist/index.js"
import { openDatabase } from "../../dist/stores/sqlite/driver.js"
import { answer, batches, expectFinished, phase, readArgument, submitBatch, taskType, workerBatch, workerId } from "./phase.mjs"
import { shapeOf } from "./shape.mjs"

const { file, tasks, durability } = readArgument()
const queue = await connect(`sqlite:${file}?durability=${durability}`)

let started = 0
const empty = defineTask(taskType, {
  run: () => {
    // The last one has started: the worker drains, and has settled everything when run() resolves.
    if (++started === tasks) worker.stop()
  },
})
const worker = queue.worker([empty], { id: workerId, concurrency: workerBatch })

const submit = await phase(async () => {
  for (const size of batches(tasks, submitBatch)) await queue.submitMany(empty, Array(size).fill({}))
  return tasks
})
const work = await phase(async () => {
  await worker.run()
  return tasks
})

expectFinished("Sluice", (await queue.counts()).completed, tasks)
const { facts } = await queue.describe()
await queue.close()

const database = await openDatabase(file)
const shape = shapeOf(database)
database.close()
answer(file, { submit, work, shape, driver: `${facts.driver}, SQLite ${facts.sqlite}` })
