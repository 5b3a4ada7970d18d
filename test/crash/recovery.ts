// What happens after somebody was stopped: another process says hello, opens what people had closed, sweeps, routes and works until
// nothing is left. Bounded in rounds, and so in virtual time: what has not ended by then has been forgotten by the store.

import { fail } from "node:assert/strict"
import type { Store } from "../../src/store/index.ts"
import { defaultBackoff } from "../../src/task/index.ts"
import { completed, said } from "../../src/testing/conformance/outcomes.ts"
import { lookAt } from "../../src/testing/index.ts"
import type { ScriptedProcess } from "./process.ts"
import { fireDue, isAllFired } from "./schedules.ts"
import type { Stage } from "./stage.ts"
import { api, hello, limits, types } from "./tasks.ts"

/** A lost lease, the longest backoff and the slowest gate fit into it several times. */
const mostRounds = 60
const roundMs = 20_000
/** Nobody goes on in the millisecond in which another one dies; and what falls into one has no order for the checker. */
const noticedAfterMs = 100

const rooms = Object.fromEntries(Object.keys(types).map((type) => [type, 100]))

export async function recover(stage: Stage, process: ScriptedProcess, observer: Store): Promise<void> {
  await stage.world.advance(noticedAfterMs)
  await process.call("hello", "what it knows", hello(process.name))
  await reopen(process)
  for (let round = 1; ; round++) {
    await process.call("sweep", "what was lost", { backoff: defaultBackoff, random: 0.5, retentionMs: null })
    await route(process)
    await fireDue(process)
    const settles = [...process.held].map(([id, fence]) => said({ id, fence }, completed()))
    const { claimed, more } = await process.exchange("settle and claim", { settles, rooms })
    const { byStatus } = await process.call("counts", "what is left", { type: null })
    if (byStatus.pending + byStatus.running === 0 && (await isAllFired(process))) break
    if (round === mostRounds) fail(`after ${round} rounds ${byStatus.pending} tasks are pending and ${byStatus.running} running`)
    if (claimed.length === 0 && !more) await stage.world.advance(roundMs)
  }
  stage.write(await lookAt(observer, { isRest: true, limits: Object.keys(limits), histories: true }))
}

/** A limit that stays closed is no fault of the store. */
async function reopen(process: ScriptedProcess): Promise<void> {
  const { limits: known } = await process.call("limits", "what is set", { names: null })
  for (const { name: limit, settings } of known) {
    for (const key of new Set(["", ...Object.keys(settings)]))
      await process.call("changeLimit", "reset", { limit, key, change: { kind: "reset" }, by: process.name })
  }
}

async function route(process: ScriptedProcess): Promise<void> {
  const { tasks } = await process.call("unrouted", "what nobody has routed", { types: Object.keys(types), limit: 100 })
  if (tasks.length > 0) await process.call("route", "gates", { routes: tasks.map(({ id }) => ({ id, gates: api, flow: null })) })
}
