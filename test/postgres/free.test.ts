// What passes no gate needs no lock: it is submitted, claimed and settled while somebody else has the namespace, by any number at once.

import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"
import { connect, defineLimit, defineTask, type Queue } from "../../src/index.ts"
import type { Store } from "../../src/store/contract.ts"
import { open } from "../../src/stores/postgres/index.ts"
import { systemWorld } from "../../src/world/index.ts"
import { type PostgresAdmin, postgresAdmin } from "../engines/postgres-admin.ts"
import { type PostgresPlace, postgresPlace } from "../engines/postgres-place.ts"

const limit = defineLimit("one", { concurrency: 1 })
const plain = defineTask("plain", { run: () => {} })
const held = defineTask("held", { limits: [limit], run: () => {} })

describe("steps without the lock of the namespace", () => {
  let place: PostgresPlace
  let admin: PostgresAdmin
  let watcher: PostgresAdmin
  let queue: Queue
  const stores: Store[] = []

  before(async () => {
    place = await postgresPlace()
    admin = await postgresAdmin(place.url)
    watcher = await postgresAdmin(place.url)
    queue = await connect(place.url)
    for (let i = 0; i < 4; i++) stores.push(await open({ url: place.url, namespace: "default", world: systemWorld }))
  })

  after(async () => {
    for (const store of stores) await store.close()
    await queue.close()
    await admin.close()
    await watcher.close()
    await place.clear()
  })

  const exchange = (store: Store, workerId: string, number: number, settles: readonly { id: string; fence: number }[] = []) =>
    store.exchange({
      ...{ workerId, leaseMs: 60_000, heartbeats: [] },
      settles: settles.map(({ id, fence }) => ({
        ...{ id, fence, outcome: { kind: "completed" as const, output: null } },
        ...{ spent: [], sentAgoMs: null, respondedAgoMs: null, rttMs: null },
      })),
      claim: { number, types: [{ type: "plain", room: 25 }], max: 25 },
    })

  it("submit, claim and settle while somebody else has it; what passes a gate waits for it", async () => {
    await queue.submit(plain, {})
    await admin.rows("begin")
    await admin.rows(`select 1 from ${place.schema}.namespaces for update`)
    await queue.submitMany(plain, [{}, {}])
    const [store] = stores as [Store]
    const { claimed } = await exchange(store, "free", 1)
    assert.equal(claimed.length, 3)
    const { settled } = await exchange(store, "free", 2, claimed)
    assert.deepEqual(
      settled.map(({ kind }) => kind),
      ["ok", "ok", "ok"],
    )
    let isSubmitted = false
    const submitting = queue.submit(held, {}).then(() => {
      isSubmitted = true
    })
    // Another connection: within a transaction one sees what was going on when it was first asked.
    await watcher.until(async () => {
      const [row] = await watcher.rows(
        "select count(*)::int as n from pg_stat_activity where wait_event_type = 'Lock' and query like '%' || $1 || '%'",
        place.schema,
      )
      return row?.n === 1
    })
    assert.equal(isSubmitted, false)
    await admin.rows("commit")
    await submitting
  })

  it("hand out every task once, to however many ask at once", async () => {
    await queue.submitMany(
      plain,
      Array.from({ length: 1_000 }, () => ({})),
    )
    const got: string[] = []
    const work = async (store: Store, workerId: string) => {
      let number = 1
      let mine = (await exchange(store, workerId, number)).claimed
      while (mine.length > 0) {
        got.push(...mine.map(({ id }) => id))
        mine = (await exchange(store, workerId, ++number, mine)).claimed
      }
    }
    await Promise.all(stores.map((store, i) => work(store, `worker-${i}`)))
    // Whoever found all that was left in others' hands has ended early.
    await work(stores[0] as Store, "last")
    assert.equal(got.length, 1_000)
    assert.equal(new Set(got).size, 1_000)
    const { completed, pending, running } = await queue.counts()
    assert.deepEqual({ completed, pending, running }, { completed: 1_003, pending: 1, running: 0 })
  })

  it("answer a claim that is asked again with what it got, though an earlier one of its worker came in after it", async () => {
    const [store] = stores as [Store]
    await queue.submitMany(plain, [{}, {}])
    const { claimed } = await exchange(store, "twice", 1)
    assert.equal(claimed.length, 2)
    await admin.rows("begin")
    await admin.rows(`select 1 from ${place.schema}.tasks where id = $1 for update`, (claimed[0] as { id: string }).id)
    // It has read which claim was the latest, and waits for the task that it settles.
    const earlier = exchange(store, "twice", 2, claimed)
    await watcher.until(async () => {
      const [row] = await watcher.rows(
        "select count(*)::int as n from pg_stat_activity where wait_event_type = 'Lock' and query like '%' || $1 || '%'",
        place.schema,
      )
      return row?.n === 1
    })
    await queue.submitMany(plain, [{}, {}])
    const later = await exchange(store, "twice", 3)
    assert.equal(later.claimed.length, 2)
    await admin.rows("commit")
    assert.deepEqual((await earlier).claimed, [])
    const again = await exchange(store, "twice", 3)
    const ids = (tasks: readonly { readonly id: string }[]) => tasks.map(({ id }) => id).sort()
    assert.deepEqual(ids(again.claimed), ids(later.claimed))
    await exchange(store, "twice", 4, later.claimed)
  })

  it("keep a key to one task, though two submit it at the same moment", async () => {
    const all = await Promise.all(Array.from({ length: 20 }, () => queue.submit(plain, { n: 1 }, { idempotencyKey: "once" })))
    assert.equal(new Set(all.map(({ id }) => id)).size, 1)
  })
})
