// The floor: the rows that Sluice writes, straight through the same driver, in transactions of the same sizes, with nothing
// decided, nothing read and no promise made. `rows` writes each row by a prepared statement, as one would by hand; `batches`
// hands over all rows of a transaction as JSON, as Sluice does.
import { openConnection, parseLocation } from "../../dist/stores/sqlite/connection.js"
import { idMaker } from "../../dist/task/index.js"
import { systemWorld } from "../../dist/world/index.js"
import { answer, batches, expectFinished, phase, readArgument, submitBatch, taskType, workerBatch, workerId } from "./phase.mjs"
import { prepareByBatch, prepareByRow, prepareSideRows } from "./raw-sql.mjs"
import { shapeOf } from "./shape.mjs"

const { file, tasks, durability, writes } = readArgument()
const { database, close } = await openConnection(parseLocation(`sqlite:${file}?durability=${durability}`), systemWorld)
const write = writes === "rows" ? prepareByRow(database) : prepareByBatch(database)
const side = prepareSideRows(database)

const lane = side.start(taskType)
const leaseMs = 30_000
const history = (entry) => JSON.stringify(entry)

/** Ids are made beforehand: making them is no write. */
const makeId = idMaker(systemWorld)
const ids = Array.from({ length: tasks }, makeId)

function transaction(run) {
  database.exec("BEGIN IMMEDIATE")
  run(Date.now())
  database.exec("COMMIT")
}

let lastSeq = 0
const submit = await phase(() => {
  for (const size of batches(tasks, submitBatch)) {
    transaction((nowMs) => {
      const created = history({ atMs: nowMs, status: "pending", event: "created" })
      const rows = Array.from({ length: size }, (_, i) => [lastSeq + i + 1, ids[lastSeq + i], "{}"])
      write.insert(rows, taskType, lane, nowMs, created)
      lastSeq += size
      side.submitted(taskType, lane, size, lastSeq, nowMs)
    })
  }
  return tasks
})

let claimed = 0
let claimNumber = Date.now() * 1_000
const work = await phase(() => {
  let running = []
  for (const size of [...batches(tasks, workerBatch), 0]) {
    transaction((nowMs) => {
      const completed = running.length
      if (completed > 0) write.complete(running, nowMs, `,${history({ atMs: nowMs, status: "completed", event: "completed" })}`)
      running = Array.from({ length: size }, (_, i) => claimed + i + 1)
      claimed += size
      const entry = `,${history({ atMs: nowMs, status: "running", event: "claimed", workerId })}`
      if (size > 0) write.claim(running, workerId, ++claimNumber, nowMs + leaseMs, nowMs, entry)
      side.exchanged({
        type: taskType,
        lane,
        workerId,
        claimNumber,
        completed,
        claimed: size,
        nextSeq: claimed < tasks ? claimed + 1 : null,
        nowMs,
      })
    })
  }
  return tasks
})

const [finished] = database.prepare("SELECT count(*) FROM tasks WHERE status = 'completed'").rows()[0]
expectFinished("raw", finished, tasks)
const [version] = database.prepare("SELECT sqlite_version()").rows()[0]
const shape = shapeOf(database)
close()
answer(file, { submit, work, shape, driver: `${database.driver}, SQLite ${version}` })
