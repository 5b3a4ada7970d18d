// A task that is submitted in a transaction of the user's is there when he commits, and never was when he does not.

import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"
import pg from "pg"
import { connect, defineLimit, defineTask, type Queue } from "../../src/index.ts"
import { type PostgresPlace, postgresPlace } from "../engines/postgres-place.ts"

const mail = defineTask("mail", { run: (input: { to: string }) => input.to })
const narrow = defineLimit("narrow", { concurrency: 1 })
const held = defineTask("held", { limits: [narrow], run: (input: { n: number }) => input.n })

describe("a submission in a transaction of the caller's", () => {
  let place: PostgresPlace
  let queue: Queue
  let client: pg.Client

  before(async () => {
    place = await postgresPlace()
    queue = await connect(place.url)
    client = new pg.Client({ connectionString: place.url.replace(/\?.*/, "") })
    await client.connect()
    await client.query(`create table ${place.schema}.users (name text primary key)`)
  })

  after(async () => {
    await client.end()
    await queue.close()
    await place.clear()
  })

  const pending = async () => (await queue.counts()).pending
  const addUser = (name: string) => client.query(`insert into ${place.schema}.users values ($1)`, [name])

  it("is seen by nobody before the commit, and by everybody behind it", async () => {
    await client.query("begin")
    await addUser("ann")
    const task = await queue.submit(mail, { to: "ann" }, { tx: client })
    assert.equal(await pending(), 0)
    assert.equal(await queue.get(task.id), null)
    await client.query("commit")
    assert.equal(await pending(), 1)
    assert.equal((await queue.get(task.id))?.status, "pending")
    assert.equal(await runAll(queue, 1), 1)
  })

  it("was never made when it is rolled back, with the row that it is about", async () => {
    await client.query("begin")
    await addUser("bob")
    const task = await queue.submit(mail, { to: "bob" }, { tx: client, idempotencyKey: "bob" })
    await client.query("rollback")
    assert.equal(await queue.get(task.id), null)
    assert.equal(await pending(), 0)
    const users = await client.query(`select 1 from ${place.schema}.users where name = 'bob'`)
    assert.equal(users.rowCount, 0)
    // Its key is free again.
    const again = await queue.submit(mail, { to: "bobby" }, { idempotencyKey: "bob" })
    assert.equal((await queue.get(again.id))?.status, "pending")
    assert.equal(await runAll(queue, 1), 1)
  })

  it("leaves nothing behind when it is rolled back: what its process submits then is run by others", async () => {
    const letter = defineTask("letter", { run: (input: { to: string }) => input.to })
    await client.query("begin")
    // The second finds what the first has made.
    for (const to of ["cat", "dan"]) await queue.submit(letter, { to }, { tx: client })
    await client.query("rollback")
    const task = await queue.submit(letter, { to: "eli" })
    const elsewhere = await connect(place.url)
    const claim = { number: 1, types: [{ type: letter.type, room: 9 }], max: 9 }
    const { claimed } = await elsewhere.store.exchange({ workerId: "elsewhere", settles: [], heartbeats: [], leaseMs: 30_000, claim })
    assert.deepEqual(
      claimed.map(({ id }) => id),
      [task.id],
    )
    await elsewhere.close()
  })

  it("was never made when its process dies between submit and commit", async () => {
    const doomed = new pg.Client({ connectionString: place.url.replace(/\?.*/, "") })
    doomed.on("error", () => {})
    await doomed.connect()
    const { rows } = await doomed.query("select pg_backend_pid() as pid")
    await doomed.query("begin")
    const task = await queue.submit(mail, { to: "cut off" }, { tx: doomed })
    const gone = new Promise((resolve) => doomed.once("end", resolve))
    await client.query("select pg_terminate_backend($1)", [rows[0].pid])
    await gone
    assert.equal(await queue.get(task.id), null)
    assert.equal(await pending(), 0)
  })

  it("holds up no worker, however long it stays open", async () => {
    await client.query("begin")
    await queue.submit(held, { n: 1 }, { tx: client })
    await queue.submit(mail, { to: "eve" }, { tx: client })
    await queue.submit(held, { n: 2 })
    await queue.submit(mail, { to: "fay" })
    assert.equal(await runAll(queue, 2), 2)
    await client.query("commit")
    assert.equal(await runAll(queue, 2), 2)
  })

  it("is one batch with what else the transaction submits, and takes a key once", async () => {
    await client.query("begin")
    const first = await queue.submit(mail, { to: "gus" }, { tx: client, idempotencyKey: "gus" })
    const second = await queue.submit(mail, { to: "gus" }, { tx: client, idempotencyKey: "gus" })
    assert.equal(second.id, first.id)
    await queue.submitMany(mail, [{ to: "hal" }, { to: "ida" }], { tx: client })
    await client.query("commit")
    assert.equal(await runAll(queue, 3), 3)
  })

  it("goes on where a task was refused: what was done before stays", async () => {
    await client.query("begin")
    await addUser("jon")
    await queue.submit(mail, { to: "jon" }, { tx: client, idempotencyKey: "jon" })
    await assert.rejects(queue.submit(mail, { to: "another" }, { tx: client, idempotencyKey: "jon" }), { code: "idempotency_conflict" })
    await client.query("commit")
    assert.equal(await runAll(queue, 1), 1)
  })

  it("is refused with what was expected, where there is no transaction to take part in", async () => {
    await assert.rejects(
      queue.submit(mail, { to: "kim" }, { tx: "begin" }),
      /tx: expected a client of pg with a transaction of yours, got "begin"/,
    )
    const memory = await connect("memory:transaction")
    await assert.rejects(
      memory.submit(mail, { to: "kim" }, { tx: client }),
      /tx: expected a store that can take part in a transaction, which is postgres:/,
    )
    await memory.close()
  })
})

/** Works until so many tasks have run. */
async function runAll(queue: Queue, count: number): Promise<number> {
  let ran = 0
  const worker = queue.worker([defineTask("mail", { run: () => done() }), defineTask("held", { limits: [narrow], run: () => done() })])
  function done(): void {
    if (++ran === count) worker.stop()
  }
  await worker.run()
  return ran
}
