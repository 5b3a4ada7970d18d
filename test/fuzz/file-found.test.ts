// What fuzzing the database file has found, each as a case of its own: damage that no single value shows.

import { describe, it } from "node:test"
import { damagedFile, opened, refuses, withDamage, withoutIndex } from "./damaged-desk.ts"

const call = { types: [{ type: "call", room: 9 }] }

describe("found by fuzzing the database file", () => {
  it("a lane that only an index names is not told to move for ever", () =>
    withDamage(
      (database) => {
        database.exec("UPDATE dues SET at_ms = 1 WHERE gate = 3")
        withoutIndex(database, "lanes_standing", "DELETE FROM lanes WHERE lane = 5")
      },
      async (desk) => {
        await desk.change("counted", { kind: "reset" })
        await refuses(desk.worker("worker-9").claim(call), /lane 5: expected its row of lanes, which an index names, got none/)
      },
    ))

  it("an index that names what its table does not have is found when a worker is sent in circles", () =>
    withDamage(
      (database) => {
        database.exec("UPDATE dues SET at_ms = 1 WHERE gate = 3")
        withoutIndex(database, "dues_by_time", "DELETE FROM dues WHERE gate = 3")
      },
      async (desk) => {
        const worker = desk.worker("worker-9")
        const circles = async () => {
          for (let times = 0; times < 1_200; times++) await worker.claim(call)
        }
        await refuses(circles(), /the file: expected tables and indexes that agree, got "wrong # of entries in index dues_by_time"/)
      },
    ))

  it("a table that is gone is told when the store is opened", () =>
    refuses(
      opened(damagedFile("DROP TABLE namespaces")),
      /^sqlite .*: expected tables and values as they were written.*\(no such table: namespaces\)$/,
    ))

  it("a damaged schema is told on one line, however much of it SQLite quotes", () => {
    const path = damagedFile("PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, '(', '`\n') WHERE name = 'tasks'")
    return refuses(opened(path), /^sqlite .*: expected a sound file, but SQLite cannot read all of it; restore the file .{1,300}$/)
  })
})
