// The database file: who may read it, what it may be, and what happens when it is not.

import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, describe, it } from "node:test"
import { connect } from "../../../src/index.ts"
import { openDatabase } from "../../../src/stores/sqlite/driver.ts"
import { migrations } from "../../../src/stores/sqlite/migrate.ts"

const folder = mkdtempSync(join(tmpdir(), "sluice-file-"))
after(() => rmSync(folder, { recursive: true, force: true }))
let made = 0
const newPath = () => join(folder, `q${made++}.db`)

describe("the SQLite file", () => {
  it("is readable by its owner alone, and so are its side files", async () => {
    const path = newPath()
    const queue = await connect(`sqlite:${path}`)
    await queue.submit("noop", {})
    for (const file of [path, `${path}-wal`, `${path}-shm`]) assert.equal(statSync(file).mode & 0o777, 0o600, file)
    await queue.close()
  })

  it("keeps tasks across connections", async () => {
    const path = newPath()
    const first = await connect(`sqlite:${path}`)
    const { id } = await first.submit("noop", { text: "kept" })
    await first.close()
    const second = await connect(`sqlite:${path}`)
    assert.deepEqual((await second.get(id))?.input, { text: "kept" })
    await second.close()
  })

  it("that is not a database is refused and left as it is", async () => {
    const path = newPath()
    const text = "These are my notes, not a database.\n".repeat(200)
    writeFileSync(path, text)
    await assert.rejects(connect(`sqlite:${path}`), { code: "not_a_database", message: /expected a SQLite database/ })
    assert.equal(readFileSync(path, "utf8"), text)
  })

  it("of another program is refused", async () => {
    const path = newPath()
    const other = await openDatabase(path)
    other.exec("CREATE TABLE customers (name TEXT)")
    other.close()
    await assert.rejects(connect(`sqlite:${path}`), { code: "not_a_database", message: /tables of another program/ })
  })

  it("of a newer Sluice is refused, with what to do", async () => {
    const path = newPath()
    await (await connect(`sqlite:${path}`)).close()
    const database = await openDatabase(path)
    database.exec("PRAGMA user_version = 999")
    database.close()
    await assert.rejects(connect(`sqlite:${path}`), { code: "schema_too_new", message: /999.*upgrade/ })
  })

  it("in a folder that does not exist is an error that names it", async () => {
    await assert.rejects(connect(`sqlite:${join(folder, "nowhere", "q.db")}`), { code: "store_unavailable", message: /nowhere/ })
  })

  it("needs a path, and known options", async () => {
    await assert.rejects(connect("sqlite:"), { code: "unknown_store", message: /expected a file/ })
    await assert.rejects(connect("sqlite::memory:"), { code: "unknown_store", message: /use "memory:"/ })
    await assert.rejects(connect(`sqlite:${newPath()}?sync=off`), { code: "invalid_option", message: /durability or maxBytes.*"sync"/ })
    await assert.rejects(connect(`sqlite:${newPath()}?durability=ful`), { code: "invalid_option", message: /did you mean "full"/ })
  })

  it("tells its durability", async () => {
    const full = await connect(`sqlite:${newPath()}`)
    assert.match((await full.describe()).durability, /^full: .*power loss/)
    assert.equal((await full.describe()).facts.journal, "wal")
    await full.close()
    const normal = await connect(`sqlite:${newPath()}?durability=normal`)
    assert.match((await normal.describe()).durability, /^normal/)
    await normal.close()
  })

  it("is migrated once, and loses nothing, however many processes open and close it at the same time", { timeout: 60_000 }, async () => {
    const path = newPath()
    const [processes, turns] = [6, 15]
    // Opening must not drop another connection's locks: the last one to close would then throw away the others' commits.
    const script = `
      const { connect } = await import(${JSON.stringify(new URL("../../../src/index.js", import.meta.url).href)})
      for (let turn = 0; turn < ${turns}; turn++) {
        const queue = await connect("sqlite:" + process.argv[1])
        await queue.submit("noop", {})
        await queue.close()
      }`
    const exits = Array.from({ length: processes }, () => {
      const child = spawn(process.execPath, ["--input-type=module", "-e", script, path], { stdio: ["ignore", "ignore", "inherit"] })
      return new Promise<number | null>((resolve) => child.on("exit", resolve))
    })
    assert.deepEqual(await Promise.all(exits), Array(processes).fill(0))
    const queue = await connect(`sqlite:${path}`)
    assert.equal((await queue.counts()).pending, processes * turns)
    assert.equal((await queue.list({ limit: 1_000 })).tasks.length, processes * turns)
    assert.equal((await queue.describe()).facts.schema, migrations().at(-1)?.number)
    await queue.close()
  })
})
