// Snapshots and removal: who comes late reads the newest snapshot and what is behind it; what it has taken the place of goes, oldest first.

import { deepEqual, equal, ok } from "node:assert/strict"
import { it } from "node:test"
import { Desk } from "../../src/testing/conformance/desk.ts"
import { systemWorld } from "../../src/world/index.ts"
import { place, writeRecords } from "./place.ts"
import { removeOld, untilSnapshot } from "./removal.ts"

it("who opens later reads the snapshot and what is behind it, and goes on from the same state", async () => {
  const here = await place()
  const first = await here.open()
  const desk = new Desk(first, systemWorld as never)
  const [done, waiting] = await desk.submitAll([{ idempotencyKey: "k", input: '"a"' }, { priority: -1 }])
  ok(done && waiting)
  const worker = desk.worker()
  const held = await worker.claimOne({ max: 1 })
  await worker.settle(held, { kind: "completed", output: "1" })
  await writeRecords(first, 520)
  await untilSnapshot(here)
  const [name = ""] = await here.names(here.keys.snapshots)
  ok(/\/snapshots\/0000000005\d\d-/.test(name), `expected the snapshot behind record 512, got ${name}`)
  const reads: string[] = []
  const second = await here.open({
    hook: (method, path, send) => {
      reads.push(`${method} ${path}`)
      return send()
    },
  })
  ok(reads.length < 60, `expected few requests to open, got ${reads.length}`)
  ok(!reads.some((read) => read.endsWith("/log/000000000002")), "expected nothing to be read that the snapshot holds")
  const ids = [done.id, waiting.id]
  deepEqual((await second.get({ ids })).tasks, (await first.get({ ids })).tasks)
  deepEqual(await second.history({ id: done.id }), await first.history({ id: done.id }))
  equal((await new Desk(second, systemWorld as never).submit({ idempotencyKey: "k", input: '"a"' })).id, done.id)
  equal((await new Desk(second, systemWorld as never).worker("w2").claimOne()).id, waiting.id)
  await first.close()
  await second.close()
})

it("what a snapshot has taken the place of is removed in whole blocks, and nothing is missed", async () => {
  const here = await place()
  const first = await here.open()
  const task = await new Desk(first, systemWorld as never).submit()
  await writeRecords(first, 520)
  await untilSnapshot(here)
  equal(await removeOld(here), 511)
  const left = await here.names(here.keys.records)
  equal(left[0], here.keys.record(512))
  equal(await removeOld(here), 256, "expected the block before the first that is there to be looked at again")
  deepEqual(await here.names(here.keys.records), left)
  await writeRecords(first, 3)
  const second = await here.open()
  equal((await second.get({ ids: [task.id] })).tasks[0]?.id, task.id)
  await first.close()
  await second.close()
})
