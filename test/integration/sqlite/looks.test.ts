// Looking at a queue costs what is shown, however much waits: pages are read from an index in its order, and places in a lane are counted
// from one to the next.

import assert from "node:assert/strict"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, describe, it } from "node:test"
import { connect, defineLimit, defineTask } from "../../../src/index.ts"
import { type Database, openDatabase } from "../../../src/stores/sqlite/driver.ts"
import { prepareStatements } from "../../../src/stores/sqlite/statements.ts"
import { VirtualWorld } from "../../../src/testing/index.ts"

const folder = mkdtempSync(join(tmpdir(), "sluice-looks-"))
after(() => rmSync(folder, { recursive: true, force: true }))

/** Each statement as the plan that SQLite has for it. */
const planned = (database: Database): Database => ({ ...database, prepare: (sql) => database.prepare(`EXPLAIN QUERY PLAN ${sql}`) })

/** With what each statement is given, and the index that it must go by. */
const looks = {
  listTasks: [[1, 1e9, 10, null, null, null, null, null, 10], "tasks_in_order (ns=? AND seq<?)"],
  listEnd: [[1, 1e9, 10], "tasks_in_order (ns=? AND seq<?)"],
  firstPending: [[1, 0, 10], "tasks_in_order (ns=? AND seq>?)"],
  firstPendingEnd: [[1, 0, 10], "tasks_in_order (ns=? AND seq>?)"],
  listOfJob: [[1, 1e9, 10, null, null, null, null, null, 10, "job"], "tasks_of_job (ns=? AND job_id=? AND seq<?)"],
  countBefore: [[1, 0, 0, 0, 10], "tasks_waiting (lane=? AND priority=? AND ready_at_ms<?)"],
  countBetween: [[1, 0, 0, 0, 0, 0, 10], "tasks_waiting (lane=? AND priority=? AND ready_at_ms>? AND ready_at_ms<?)"],
} as const

describe("a look at a SQLite queue", () => {
  for (const [name, [values, index]] of Object.entries(looks)) {
    it(`${name} goes by its index, and sorts nothing of what is stored`, async () => {
      const path = join(folder, `${name}.db`)
      await (await connect(`sqlite:${path}`)).close()
      const database = await openDatabase(path)
      const steps = prepareStatements(planned(database))(name)
        .rows(...values)
        .map((row) => String(row[3]))
      database.close()
      const told = steps.join("\n")
      assert.ok(told.includes(index), told)
      // The few that a page has may be put in order once more; what they are taken from may not.
      assert.doesNotMatch(told, /INDEX tasks_id|SCAN tasks USING/, told)
      assert.ok(steps.filter((step) => step.includes("TEMP B-TREE")).length <= (name === "firstPending" ? 1 : 0), told)
    })
  }

  it("tells of each task of a page what it tells of the task alone", async () => {
    const slow = defineLimit("slow", { rate: { limit: 1, per: "10m", provider: "sliding" } })
    const call = defineTask("call", { limits: (input: { key: string }) => [slow(input.key)], run: () => {} })
    const world = new VirtualWorld()
    const queue = await connect(`sqlite:${join(folder, "page.db")}`, { world })
    const inputs = (count: number) => Array.from({ length: count }, (_, i) => ({ key: `key-${i % 2}` }))
    // Submitted first and due last: their order in the lane is not that of the rows.
    await queue.submitMany(call, inputs(20), { delay: "1m" })
    for (const priority of [0, 5, 0, -3]) await queue.submitMany(call, inputs(120), { priority })
    await world.advance(60_000)
    const claim = { number: 1, max: 2, types: [{ type: "call", room: 2 }] }
    const { claimed } = await queue.store.exchange({ workerId: "w", leaseMs: 60_000, settles: [], heartbeats: [], claim })
    assert.equal(claimed.length, 2)
    const { tasks } = await queue.list({ status: "pending", limit: 500 })
    const ids = tasks.map(({ id }) => id)
    assert.equal(ids.length, 498)
    const page = await queue.getMany(ids)
    const places = new Set<string>()
    for (const [i, id] of ids.entries()) {
      const alone = await queue.get(id)
      assert.deepEqual(page[i]?.forecast, alone?.forecast)
      places.add(String(alone?.forecast?.at?.getTime()))
    }
    assert.equal(places.size, 249, "expected a place of its own for each task of a lane")
    await queue.close()
  })
})
