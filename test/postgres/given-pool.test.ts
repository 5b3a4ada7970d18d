// A pool or a client of the user's own: the queue works on it, and leaves it open.

import { deepEqual, equal, rejects } from "node:assert/strict"
import { after, before, describe, it } from "node:test"
import pg from "pg"
import { connect, defineLimit, defineTask } from "../../src/index.ts"
import { type PostgresPlace, postgresPlace } from "../engines/postgres-place.ts"

let place: PostgresPlace
before(async () => {
  place = await postgresPlace()
})
after(() => place.clear())

const plain = () => {
  const url = new URL(place.url)
  url.searchParams.delete("schema")
  return { connectionString: url.href }
}
const storeUrl = () => `postgres://?schema=${place.schema}`
const door = defineLimit("door", { concurrency: 2 })

/** Submits and works off both what is gated and what is not. */
async function works(pool: unknown, namespace: string): Promise<void> {
  const seen: number[] = []
  const task = defineTask("given", {
    limits: (input: { n: number }) => (input.n % 2 ? [door("a")] : []),
    run: ({ n }) => void seen.push(n),
  })
  const queue = await connect(storeUrl(), { pool, namespace })
  try {
    await queue.submitMany(task, [{ n: 1 }, { n: 2 }, { n: 3 }])
    const worker = queue.worker([task])
    worker.on("task.settled", () => {
      if (seen.length === 3) worker.stop()
    })
    await worker.run()
    deepEqual(seen.sort(), [1, 2, 3])
    equal((await queue.counts()).completed, 3)
  } finally {
    await queue.close()
  }
}

describe("connections of the user's own", () => {
  it("a pool, which stays open", async () => {
    const pool = new pg.Pool({ ...plain(), max: 4 })
    await works(pool, "pool")
    equal((await pool.query("select 1 as one")).rows[0].one, 1)
    await pool.end()
  })

  it("one client, which does one thing after the other and stays open", async () => {
    const client = new pg.Client(plain())
    await client.connect()
    await works(client, "client")
    equal((await client.query("select 1 as one")).rows[0].one, 1)
    await client.end()
  })

  it("anything else is refused with what was expected", async () => {
    await rejects(connect(storeUrl(), { pool: {} }), {
      code: "invalid_option",
      message: /connect: pool: expected a Pool of pg, or a Client of it/,
    })
    await rejects(connect("memory:", { pool: {} }), { code: "invalid_option", message: /connect: pool: expected a URL such as "postgres:/ })
  })
})
