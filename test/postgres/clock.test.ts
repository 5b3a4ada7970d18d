// The store's clock while steps wait for each other: whoever has waited for the lock tells no time before one that somebody without it has told
// meanwhile, even where the machine's clock has stepped back.

import { equal, ok } from "node:assert/strict"
import { it } from "node:test"
import { open } from "../../src/stores/postgres/index.ts"
import { Desk } from "../../src/testing/conformance/desk.ts"
import { rolling, through } from "../../src/testing/conformance/policies.ts"
import { VirtualWorld } from "../../src/testing/virtual-world.ts"
import { postgresAdmin } from "../engines/postgres-admin.ts"
import { postgresPlace } from "../engines/postgres-place.ts"

it("a step that has waited for the lock tells no time before one that was told while it waited", async (test) => {
  const place = await postgresPlace()
  const [admin, watcher] = [await postgresAdmin(place.url), await postgresAdmin(place.url)]
  const startMs = Date.UTC(2026, 6, 1)
  // What the server's clock shows to a step: later, and after it has stepped back.
  const [ahead, behind] = [new VirtualWorld({ startMs: startMs + 60_000 }), new VirtualWorld({ startMs })]
  const [first, second] = [
    await open({ url: place.url, namespace: "default", world: ahead }),
    await open({ url: place.url, namespace: "default", world: behind }),
  ]
  test.after(async () => {
    for (const store of [first, second]) await store.close()
    for (const one of [admin, watcher]) await one.close()
    await place.clear()
  })
  const desk = new Desk(second, behind)
  await desk.declare("vendor", rolling(3, 10_000))
  await admin.rows("begin")
  await admin.rows(`select 1 from ${place.schema}.namespaces for update`)
  const locked = desk.submit({ gates: through("vendor") })
  await watcher.until(async () => {
    const [row] = await watcher.rows(
      "select count(*)::int as n from pg_stat_activity where wait_event_type = 'Lock' and query like '%' || $1 || '%'",
      place.schema,
    )
    return row?.n === 1
  })
  // It passes no gate, and waits for nobody.
  const free = await new Desk(first, ahead).submit()
  equal(free.createdAtMs, startMs + 60_000)
  await admin.rows("commit")
  const { createdAtMs } = await locked
  ok(createdAtMs >= free.createdAtMs, `expected no time before ${free.createdAtMs}, got ${createdAtMs}`)
})

it("a step that has waited for the lock knows of a schedule that was changed while it waited", async (test) => {
  const place = await postgresPlace()
  const [admin, watcher] = [await postgresAdmin(place.url), await postgresAdmin(place.url)]
  const world = new VirtualWorld()
  const store = await open({ url: place.url, namespace: "default", world })
  test.after(async () => {
    await store.close()
    for (const one of [admin, watcher]) await one.close()
    await place.clear()
  })
  const desk = new Desk(store, world)
  await desk.declare("vendor", rolling(3, 10_000))
  await desk.submit({ gates: through("vendor") })
  await admin.rows("begin")
  await admin.rows(`select 1 from ${place.schema}.namespaces for update`)
  const worker = desk.worker()
  const claimed = worker.look()
  await watcher.until(async () => {
    const [row] = await watcher.rows(
      "select count(*)::int as n from pg_stat_activity where wait_event_type = 'Lock' and query like '%' || $1 || '%'",
      place.schema,
    )
    return row?.n === 1
  })
  const atMs = world.wallMs() + 5_000
  await admin.rows(
    `insert into ${place.schema}.schedules (ns, name, record, next_at_ms) select ns, 'daily', '{}', $1 from ${place.schema}.namespaces`,
    atMs,
  )
  await admin.rows("commit")
  equal((await claimed).scheduleAtMs, atMs)
})
