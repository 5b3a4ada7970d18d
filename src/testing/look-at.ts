// What a store says about everything, as one event for the history checker.

import type { Store } from "../store/index.ts"
import { gateName, type TaskRecord } from "../task/index.ts"
import type { Looked, SeenGate, SeenTask } from "./checker/index.ts"
import type { Fact } from "./recorded-store.ts"

export interface LookOptions {
  readonly isRest: boolean
  /** The limits whose gates are looked at. */
  readonly limits: readonly string[]
  /** Whether to read every task's history too: it tells of leases whose answer nobody got. */
  readonly histories: boolean
}

/** A store on the network answers many as soon as one. */
const atOnce = 64
const page = { statuses: null, type: null, tag: null, jobId: null, createdFromMs: null, createdBeforeMs: null, limit: 1_000 }

export async function lookAt(store: Store, { isRest, limits, histories }: LookOptions): Promise<Extract<Fact, { op: "look" }>> {
  const records: TaskRecord[] = []
  for (let beforeSeq: number | null = null; ; ) {
    const found: Awaited<ReturnType<Store["list"]>> = await store.list({ ...page, beforeSeq })
    records.push(...found.tasks)
    beforeSeq = found.nextBeforeSeq
    if (beforeSeq === null) break
  }
  const tasks: SeenTask[] = []
  for (let from = 0; from < records.length; from += atOnce) {
    tasks.push(...(await Promise.all(records.slice(from, from + atOnce).map((record) => seen(store, record, histories)))))
  }
  const { byStatus: counts } = await store.counts({ type: null })
  const gates: SeenGate[] = []
  for (const limit of limits) gates.push(...(await gatesOf(store, limit)))
  const { nowMs: atMs } = await store.now({})
  return { op: "look", atMs, isRest, tasks, counts, gates }
}

async function seen(store: Store, record: TaskRecord, histories: boolean): Promise<SeenTask> {
  const { id, status, fence, idempotencyKey: key, gates } = record
  const claims = histories && fence > 0 ? await claimsOf(store, id) : null
  return { id, status, fence, key, gates, place: status === "pending" ? await placeOf(store, record) : null, claims }
}

async function placeOf(store: Store, { id, type, flow, gates }: TaskRecord): Promise<SeenTask["place"]> {
  const { explanation } = await store.explain({ id })
  const ahead = explanation?.tasksAhead ?? null
  return ahead === null ? null : { lane: JSON.stringify([type, flow, gates?.map(gateName) ?? null]), ahead }
}

/** Each lease is one entry; the first is of fence 1. A history that was trimmed cannot tell. */
async function claimsOf(store: Store, id: string): Promise<Looked["tasks"][number]["claims"]> {
  const { entries } = await store.history({ id })
  if (!entries || entries.some(({ version }, i) => version !== i + 1)) return null
  const claims = entries.filter(({ event }) => event === "claimed")
  return claims.map(({ workerId = "", atMs }, i) => ({ fence: i + 1, worker: workerId, atMs }))
}

async function gatesOf(store: Store, limit: string): Promise<SeenGate[]> {
  const seen: SeenGate[] = []
  for (let afterKey: string | null = null; ; ) {
    const found: Awaited<ReturnType<Store["gates"]>> = await store.gates({ limit, keys: null, afterKey, count: 1_000 })
    for (const { key, slots, waitingTasks, waitingCost } of found.gates)
      seen.push({ limit, key, held: slots?.held ?? null, waitingTasks, waitingCost })
    afterKey = found.nextAfterKey
    if (afterKey === null) return seen
  }
}
