// A process that knows how it left the gates does not read them again, unless somebody else has written meanwhile, or what it wrote came to nothing:
// limits are exact all the same.

import assert from "node:assert/strict"
import { after, before, beforeEach, describe, it } from "node:test"
import { connect, defineLimit, defineTask, type Queue } from "../../src/index.ts"
import type { Store } from "../../src/store/contract.ts"
import type { ExchangeAnswer } from "../../src/store/exchange-contract.ts"
import { open } from "../../src/stores/postgres/index.ts"
import { KnownGates } from "../../src/stores/postgres/known-gates.ts"
import { systemWorld } from "../../src/world/index.ts"
import { type PostgresAdmin, postgresAdmin } from "../engines/postgres-admin.ts"
import { type PostgresPlace, postgresPlace } from "../engines/postgres-place.ts"

const limit = defineLimit("two", { concurrency: 2 })
const held = defineTask("held", { limits: (input: { key: string }) => [limit(input.key)], run: () => {} })

type Claimed = Pick<ExchangeAnswer["claimed"][number], "id" | "fence">

it("what a process knows of gates is left alone by a step that has lost its lock without knowing", () => {
  const known = new KnownGates()
  known.hold("somebody")
  const lost = known.present
  known.hold("somebody")
  assert.equal(known.keep("the step that has lost it", lost), false)
  assert.equal(known.hold("the step that has lost it"), false)
  assert.equal(known.keep("the step that has it", known.present), true)
  assert.equal(known.hold("the step that has it"), true)
})

describe("gates that a process knows", () => {
  let place: PostgresPlace
  let admin: PostgresAdmin
  let queue: Queue
  let one: Store
  let other: Store
  let number = 0

  before(async () => {
    place = await postgresPlace()
    admin = await postgresAdmin(place.url)
  })

  beforeEach(async () => {
    await other?.close()
    await one?.close()
    await queue?.close()
    await place.clear()
    queue = await connect(place.url)
    one = await open({ url: place.url, namespace: "default", world: systemWorld })
    other = await open({ url: place.url, namespace: "default", world: systemWorld })
  })

  after(async () => {
    await other.close()
    await one.close()
    await queue.close()
    await admin.close()
    await place.clear()
  })

  const exchange = (store: Store, max: number, settles: readonly Claimed[] = []) =>
    store.exchange({
      ...{ workerId: store === one ? "one" : "other", leaseMs: 60_000, heartbeats: [] },
      settles: settles.map(({ id, fence }) => ({
        ...{ id, fence, outcome: { kind: "completed" as const, output: null } },
        ...{ spent: [], sentAgoMs: null, respondedAgoMs: null, rttMs: null },
      })),
      claim: { number: ++number, types: [{ type: "held", room: max }], max },
    })

  const submit = (count: number, key = "a") =>
    queue.submitMany(
      held,
      Array.from({ length: count }, () => ({ key })),
    )

  /** It has had the last word so often that it does not even ask beforehand; answers with the one task that it runs. */
  async function acquainted(): Promise<Claimed> {
    let running: readonly Claimed[] = []
    for (let turn = 0; turn < 12; turn++) running = (await exchange(one, 1, running)).claimed
    const [last] = running
    assert.ok(last)
    return last
  }

  it("are read again once another process has given out a slot", async () => {
    await submit(20)
    await acquainted()
    assert.equal((await exchange(other, 1)).claimed.length, 1)
    assert.equal((await exchange(one, 2)).claimed.length, 0)
  })

  it("are those of the last step of any process, whoever takes turns", async () => {
    await submit(40)
    const running: { store: Store; task: Claimed }[] = []
    for (let turn = 0; turn < 30; turn++) {
      const store = turn % 5 < 3 ? one : other
      const ended = turn % 2 === 0 ? running.splice(0, 1) : []
      for (const { store: own, task } of ended.filter((run) => run.store !== store)) await exchange(own, 0, [task])
      const { claimed } = await exchange(
        store,
        2,
        ended.filter((run) => run.store === store).map(({ task }) => task),
      )
      running.push(...claimed.map((task) => ({ store, task })))
      assert.equal(running.length, 2)
      const rows = await admin.rows(`select in_flight from ${place.schema}.gates`)
      assert.deepEqual(rows, [{ in_flight: 2 }])
    }
  })

  it("are read again where what was written came to nothing, and the step behind it goes on", async () => {
    await submit(20)
    const running = await acquainted()
    assert.equal((await exchange(one, 1)).claimed.length, 1)
    const { schema } = place
    await admin.rows(`create function ${schema}.refuse() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$`)
    await admin.rows(
      `create constraint trigger refuse after update on ${schema}.tasks deferrable initially deferred for each row
       when (new.status = 'completed') execute function ${schema}.refuse()`,
    )
    const [settled, next] = await Promise.allSettled([exchange(one, 0, [running]), exchange(one, 2)])
    assert.equal(settled.status, "rejected")
    assert.equal(next.status, "fulfilled")
    assert.equal(next.value.claimed.length, 0)
    await admin.rows(`drop trigger refuse on ${schema}.tasks`)
    assert.equal((await exchange(one, 2)).claimed.length, 0)
    assert.equal((await exchange(one, 2, [running])).claimed.length, 1)
  })

  it("let those pass whom somebody has hurried", async () => {
    await submit(20)
    const running = await acquainted()
    assert.equal((await exchange(one, 2)).claimed.length, 1)
    const change = (kind: "pause" | "resume") => one.changeLimit({ limit: "two", key: "", change: { kind }, by: "a test" })
    await change("pause")
    assert.equal((await exchange(one, 2, [running])).claimed.length, 0)
    await change("resume")
    assert.equal((await exchange(one, 2)).claimed.length, 1)
  })

  it("heads are those that the tasks say, however lanes are served", async () => {
    const { schema } = place
    const keys = ["a", "b", "c", "d", "e"]
    let running: Claimed[] = []
    for (let turn = 0; turn < 24; turn++) {
      const priorities = [turn % 3, (turn * 7) % 5, 1]
      if (turn % 4 !== 3)
        await Promise.all(priorities.map((priority, i) => queue.submit(held, { key: keys[(turn + i * 2) % 5] as string }, { priority })))
      const { claimed } = await exchange(turn % 6 === 5 ? other : one, 1 + (turn % 4), turn % 6 === 5 ? [] : running)
      running = turn % 6 === 5 ? [...running, ...claimed] : [...claimed]
      const wrong = await admin.rows(
        `select lanes.lane, lanes.head_seq, head.seq from ${schema}.lanes left join lateral (
           select priority, ready_at_ms, seq from ${schema}.tasks where tasks.lane = lanes.lane order by priority desc, ready_at_ms, seq limit 1
         ) as head on true
         where not is_plain and (head_priority, head_ready_at_ms, head_seq) is distinct from (head.priority, head.ready_at_ms, head.seq)`,
      )
      assert.deepEqual(wrong, [], `turn ${turn}`)
    }
  })
})
