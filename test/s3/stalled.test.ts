// A writer that was asleep: others have passed the number that it wants to create, and have removed it. Whatever it was told, it must not take
// itself for the winner.

import { deepEqual, equal, ok, rejects } from "node:assert/strict"
import { it } from "node:test"
import { recordsKeptMs } from "../../src/stores/s3/layout.ts"
import { Desk } from "../../src/testing/conformance/desk.ts"
import { systemWorld } from "../../src/world/index.ts"
import { type Hook, place, writeRecords } from "./place.ts"
import { removeOld, untilSnapshot } from "./removal.ts"

/** Holds the next create back until it is let go. */
function holding(): { readonly hook: Hook; hold(): void; readonly isHeld: Promise<void>; letGo(): void } {
  let [letGo, told] = [() => {}, () => {}]
  const gate = new Promise<void>((resolve) => {
    letGo = resolve
  })
  const isHeld = new Promise<void>((resolve) => {
    told = resolve
  })
  let isHolding = false
  const hook: Hook = async (method, _path, send) => {
    if (isHolding && method === "PUT") {
      isHolding = false
      told()
      await gate
    }
    return send()
  }
  const hold = () => {
    isHolding = true
  }
  return { hook, isHeld, letGo: () => letGo(), hold }
}

/** The create of a record is on its way while others write 512 more, and a snapshot; then the first of them are removed. */
async function stall(keptMs: number) {
  const here = await place()
  const line = holding()
  const asleep = await here.open({ hook: line.hook, keptMs })
  const awake = await here.open()
  await writeRecords(awake, 3)
  await asleep.now({})
  line.hold()
  const desk = new Desk(asleep, systemWorld as never)
  const asked = desk.newTask()
  const submitted = asleep.submit({ tasks: [asked] })
  submitted.catch(() => {})
  await line.isHeld
  await writeRecords(awake, 520)
  await untilSnapshot(here)
  equal(await removeOld(here), 511)
  line.letGo()
  return { here, asleep, awake, asked, submitted }
}

it("it is told that it does not know, goes on from the newest snapshot, and the same again does no harm", async () => {
  // The stall is longer than half of this.
  const { here, asleep, awake, asked, submitted } = await stall(20)
  await rejects(submitted, ({ code, message }: { code: string; message: string }) => {
    return code === "store_unavailable" && /others have passed it while this process was asleep/.test(message)
  })
  deepEqual((await awake.get({ ids: [asked.id] })).tasks, [null])
  deepEqual((await asleep.get({ ids: [asked.id] })).tasks, [null])
  equal((await asleep.submit({ tasks: [asked] })).kind, "ok")
  equal((await awake.get({ ids: [asked.id] })).tasks[0]?.id, asked.id)
  const late = await here.open()
  equal((await late.get({ ids: [asked.id] })).tasks[0]?.id, asked.id)
  for (const store of [asleep, awake, late]) await store.close()
})

it("without the rule it would have lost the task: that is what removal waits for", async () => {
  const { asleep, awake, asked, submitted } = await stall(recordsKeptMs)
  equal((await submitted).kind, "ok", "expected the create of a number that was removed to succeed")
  deepEqual((await awake.get({ ids: [asked.id] })).tasks, [null])
  await asleep.close()
  await awake.close()
})

it("who slept while nothing was removed goes on as if nothing was", async () => {
  const here = await place()
  const asleep = await here.open({ keptMs: 0 })
  const awake = await here.open()
  await writeRecords(awake, 10)
  const task = await new Desk(asleep, systemWorld as never).submit()
  ok((await awake.get({ ids: [task.id] })).tasks[0])
  await asleep.close()
  await awake.close()
})
