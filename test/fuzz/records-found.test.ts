// What fuzzing stored records has found, each as a case of its own: what was damaged, and what a user gets instead of a crash, a
// loop, or a broken promise.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { Queue } from "../../src/queue/index.ts"
import { through } from "../../src/testing/conformance/policies.ts"
import { id, ids, refuses, withDamage } from "./damaged-desk.ts"

const idleGate = "INSERT INTO gates (ns, limit_name, key, state, touched_at_ms) VALUES (1, 'vendor', 'idle', '{', 0)"
const call = { types: [{ type: "call", room: 9 }] }

describe("found by fuzzing stored records", () => {
  it("text that is no UTF-8 is read, where the driver would end the process", () =>
    withDamage(`UPDATE tasks SET last_error = CAST(x'6eff6f' AS TEXT) WHERE id = '${ids.broken}'`, async (desk) => {
      assert.equal((await desk.get(id("broken"))).lastError, "n\ufffdo")
    }))

  it("a boolean among the gates of a task is refused, where the driver would end the process", () =>
    withDamage(`UPDATE tasks SET gates = '[{"limit":true,"key":"k1","cost":1}]' WHERE id = '${ids.waiting}'`, async (desk) => {
      await refuses(
        desk.explain(id("waiting")),
        /^sqlite .*found.*: task ".*" \(row 19 of tasks\): expected gates, got .*; restore the file/,
      )
      await refuses(desk.move("cancel", id("waiting")), /row 19 of tasks/)
    }))

  it("a boolean that a caller hands over is refused, where the driver would end the process", () =>
    withDamage("SELECT 1", async (desk) => {
      await assert.rejects(desk.store.history({ id: true as never }), { code: "invalid_option", message: /expected a text.*got true/ })
    }))

  it("a number beyond all dates, or not exact, is refused by the name of its row", () =>
    withDamage(`UPDATE tasks SET fence = ${2n ** 60n} WHERE id = '${ids.running}'`, async (desk, path) => {
      await refuses(desk.get(id("running")), /task ".*" \(row 8 of tasks\): expected a fence that it can have, got 1152921504606847000/)
      await refuses(
        desk.worker("worker-9").settle({ ...id("running"), fence: 2 ** 60 }, { kind: "completed", output: null }),
        new RegExp(path),
      )
      await refuses(desk.list(), /row 8 of tasks/)
    }))

  it("a task that has ended and stands in a lane is not claimed again", () =>
    withDamage(`UPDATE tasks SET lane = 2 WHERE id = '${ids.stopped}'`, async (desk) => {
      await refuses(
        desk.worker("worker-9").claim(),
        /row 5 of tasks\): expected lane 2 to hold pending tasks of one type, got "cancelled mail"/,
      )
      assert.equal(await desk.status(id("stopped")), "cancelled")
    }))

  it("a status that nobody knows is refused, where a move would have crashed", () =>
    withDamage(`UPDATE tasks SET status = 'qending' WHERE id = '${ids.first}'`, async (desk) => {
      await refuses(desk.move("cancel", id("first")), /row 13 of tasks\): expected a known status, got "qending"/)
      await refuses(desk.worker("worker-9").claim(), /row 13 of tasks/)
    }))

  it("neither a damaged task nor a damaged gate that nobody uses keeps the sweep from all others", () =>
    withDamage(`UPDATE tasks SET tags = '[' WHERE id = '${ids.overdue}'; ${idleGate}`, async (desk) => {
      assert.equal((await desk.sweep()).rescued, 1)
      assert.equal(await desk.status(id("lost")), "pending")
      await refuses(desk.list({ tag: "nightly" }), /row 10 of tasks\): expected tags as JSON, got "\["/)
    }))

  it("a holder without its end still holds: the gate is refused, and nothing passes in its place", () =>
    withDamage("UPDATE gates SET state = replace(state, 'untilUs', 'untilTs')", async (desk) => {
      await refuses(desk.worker("worker-9").claim(call), /gate "vendor\/k1" \(row 1 of gates\): expected the state of a gate, got/)
    }))

  it("a pause that cannot be read is not taken for none", () =>
    withDamage("UPDATE limits SET record = replace(record, 'isPaused', 'isPauted') WHERE name = 'vendor'", async (desk) => {
      await refuses(desk.gate("vendor", "k9"), /limit "vendor" \(in limits\): expected what was declared and set, got/)
    }))

  it("a task that passes a limit which nobody has declared is refused by name", () =>
    withDamage(`UPDATE tasks SET gates = replace(gates, 'vendor', 'vendos') WHERE id = '${ids.waiting}'`, async (desk) => {
      for (const name of ["vendor", "refilled"])
        await desk.change(name, { kind: "set", override: { rates: [], concurrency: 99 }, untilMs: null }, "k1")
      await refuses(desk.worker("worker-9").claim(call), /task ".*": expected gates of known limits, got "vendos"/)
    }))

  it("the clock of the next century is refused: nothing expires by it", () =>
    withDamage("UPDATE namespaces SET clock_ms = clock_ms + 4398046511104", async (desk) => {
      await refuses(desk.nowMs(), /the clock \(row 1 of namespaces\): expected a time of this century, got/)
      await refuses(desk.sweep({ retentionMs: 0 }), /the clock/)
    }))

  it("a number that was given before is not given again", () =>
    withDamage("UPDATE sequence SET last = 3", async (desk) => {
      await refuses(desk.submit({ input: '"other"' }), /SQLite refuses them.*UNIQUE constraint failed: tasks.seq/)
      assert.equal((await desk.get(id("old"))).input, "{}")
    }))

  it("nor is one that goes before all others, or is not exact", async () => {
    for (const last of [-9n, 2n ** 60n])
      await withDamage(`UPDATE sequence SET last = ${last}`, (desk) => refuses(desk.submit(), /expected a number (that goes on|in use)/))
  })

  it("a claim number from the future does not have its worker ask for ever", () =>
    withDamage("UPDATE workers SET claim_number = 4503599627370496", async (desk) => {
      assert.ok((await desk.worker("worker-1").claim()).length > 0)
    }))

  it("a lane whose number is not exact takes no tasks into it, nor do those that SQLite would number after it", () =>
    withDamage("UPDATE lanes SET lane = 36028797018963973 WHERE lane = 5", async (desk) => {
      await refuses(desk.submit({ flow: "new" }), /expected a number in use/)
      await refuses(desk.submit({ type: "call", gates: through("vendor", "k3") }), /expected a number in use/)
    }))

  it("a due time that names no gate does not have workers look for ever", () =>
    withDamage("UPDATE dues SET gate = 9007199254740993, at_ms = 1 WHERE gate = 1", (desk) =>
      refuses(desk.worker("worker-9").claim(call), /expected a number in use/),
    ))

  it("a task in the lane of another type does not send workers in circles", () =>
    withDamage(`UPDATE tasks SET lane = 2 WHERE id = '${ids.cooling}'`, (desk) =>
      refuses(desk.worker("worker-9").claim(), /got "(pending|running) call"/),
    ))

  it("a flow whose row was lost is made again, and its tasks are claimed", () =>
    withDamage("DELETE FROM flows WHERE type = 'mail' AND flow = 'red'", async (desk) => {
      await desk.submit({ flow: "red", priority: 5 })
      const claimed = await desk.worker("worker-9").claim()
      assert.equal(claimed.filter(({ flow }) => flow === "red").length, 2)
    }))

  it("an input that is no JSON is told as such", () =>
    withDamage(`UPDATE payloads SET input = substr(input, 1, 40)`, async (desk) => {
      const queue = new Queue(desk.store, desk.world, 1_000_000)
      const task = await queue.get(ids.broken ?? "")
      const message = /^task ".*": expected its stored input to be JSON, got .*; restore the store/
      assert.throws(() => task?.input, { code: "store_damaged", message })
      assert.throws(() => task?.toJSON(), { code: "store_damaged", message })
    }))

  it("a history, a change of a limit and a count that cannot be are refused by name", () =>
    withDamage(
      `UPDATE tasks SET history = replace(history, '"atMs":', '"atMt":') WHERE id = '${ids.done}';
       UPDATE limit_changes SET change = '{"kind":"set"}' WHERE number = 1;
       UPDATE tallies SET count = -1 WHERE status = 'archived'`,
      async (desk) => {
        await refuses(desk.history(id("done")), /task .*: expected a history, got/)
        await refuses(
          desk.store.limitChanges({ limit: null, beforeNumber: null, count: 9 }),
          /row 1 of limit_changes\): expected a change, got/,
        )
        await refuses(desk.counts(), /the count of "archived" tasks \(in tallies\): expected 0 or more, got -1/)
      },
    ))

  it("types of a worker that cannot be read are nobody's, until it says them again", () =>
    withDamage("UPDATE workers SET types = '[' WHERE worker_id = 'worker-2'", async (desk) => {
      assert.equal((await desk.explain(id("waiting"))).liveWorkers, 0)
      await desk.store.hello({ workerId: "worker-2", types: [{ type: "call", limits: [] }], limits: [] })
      assert.equal((await desk.explain(id("waiting"))).liveWorkers, 1)
    }))
})
