// Commits: what arrives together shares one flush to disk; a busy database stops nobody's event loop.

import assert from "node:assert/strict"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, describe, it } from "node:test"
import { connect, defineTask } from "../../../src/index.ts"
import { Commits } from "../../../src/stores/sqlite/commit.ts"
import { type Database, openDatabase } from "../../../src/stores/sqlite/driver.ts"
import { systemWorld } from "../../../src/world/index.ts"

const folder = mkdtempSync(join(tmpdir(), "sluice-commits-"))
after(() => rmSync(folder, { recursive: true, force: true }))

async function counted(name: string) {
  const database = await openDatabase(join(folder, name))
  database.exec("PRAGMA journal_mode = WAL; CREATE TABLE t (x TEXT NOT NULL)")
  let commits = 0
  const counting: Database = {
    ...database,
    exec: (sql) => {
      database.exec(sql)
      if (sql === "COMMIT") commits++
    },
  }
  const insert = database.prepare("INSERT INTO t VALUES (?)")
  const rows = () => database.prepare("SELECT x FROM t ORDER BY x").rows().flat()
  return { commits: new Commits(counting, name, systemWorld), insert, rows, count: () => commits }
}

describe("commits", () => {
  it("share one transaction when they arrive together", async () => {
    const { commits, insert, rows, count } = await counted("shared.db")
    await Promise.all(Array.from({ length: 50 }, (_, i) => commits.run(() => insert.run(`row ${i}`))))
    assert.equal(rows().length, 50)
    assert.equal(count(), 1)
  })

  it("take back a failed step and keep its neighbours", async () => {
    const { commits, insert, rows, count } = await counted("neighbours.db")
    const results = await Promise.allSettled([
      commits.run(() => insert.run("a")),
      commits.run(() => {
        insert.run("b")
        throw new Error("after its write")
      }),
      commits.run(() => insert.run("c")),
    ])
    assert.deepEqual(
      results.map(({ status }) => status),
      ["fulfilled", "rejected", "fulfilled"],
    )
    assert.deepEqual(rows(), ["a", "c"])
    assert.equal(count(), 1)
  })

  it("take back a failed step that is alone", async () => {
    const { commits, insert, rows } = await counted("alone.db")
    const failing = commits.run(() => {
      insert.run("a")
      throw new Error("after its write")
    })
    await assert.rejects(failing, /after its write/)
    await commits.run(() => insert.run("b"))
    assert.deepEqual(rows(), ["b"])
  })

  it("wait for another's lock without stopping the event loop", async () => {
    const path = join(folder, "locked.db")
    const queue = await connect(`sqlite:${path}`)
    const other = await openDatabase(path)
    other.exec("BEGIN IMMEDIATE")
    let isSubmitted = false
    const submitting = queue.submit("noop", {}).then(() => {
      isSubmitted = true
    })
    // The loop turns, and reads are answered, while the lock is held.
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve))
    assert.equal((await queue.counts()).pending, 0)
    assert.equal(isSubmitted, false)
    other.exec("COMMIT")
    await submitting
    assert.equal((await queue.counts()).pending, 1)
    other.close()
    await queue.close()
  })

  it("that are waiting are made before they close; later ones are refused", async () => {
    const { commits, insert, rows } = await counted("closing.db")
    const inserting = commits.run(() => insert.run("a"))
    await commits.close()
    await inserting
    assert.deepEqual(rows(), ["a"])
    await assert.rejects(
      commits.run(() => insert.run("b")),
      { code: "store_closed" },
    )
  })
})

describe("waiting on SQLite", () => {
  let ran: Promise<void>

  it("is refused once it was closed, and a worker that runs a task then ends when the task does", { timeout: 30_000 }, async () => {
    const url = `sqlite:${join(folder, "closed-under-way.db")}`
    const closed = await connect(url)
    await closed.close()
    // Whoever is answered here asks again at once, for ever, and nothing else gets its turn.
    await assert.rejects(closed.store.wait({ workerId: "w" }, new AbortController().signal), { code: "store_closed" })
    const queue = await connect(url)
    let end = () => {}
    const begun = new Promise<void>((begin) => {
      const held = defineTask("held", {
        run: () => {
          begin()
          return new Promise<void>((resolve) => {
            end = resolve
          })
        },
      })
      void queue.submit(held, null)
      ran = assert.rejects(queue.worker([held]).run(), { code: "store_closed" })
    })
    await begun
    await queue.close()
    end()
    await ran
  })

  it("ends when another connection commits", async () => {
    const url = `sqlite:${join(folder, "wake.db")}`
    const [here, there] = [await connect(url), await connect(url)]
    const waiting = here.store.wait({ workerId: "w" }, new AbortController().signal)
    await there.submit("noop", {})
    await waiting
    await Promise.all([here.close(), there.close()])
  })
})
