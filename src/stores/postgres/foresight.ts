// What a step is sure to ask for, sent together with its beginning: the answers are there when it comes to ask. Whatever is left out here, or
// named in other words than the step will use, is only asked later.

import { budgets, type SubmitRequest } from "../../store/contract.ts"
import type { ExchangeRequest } from "../../store/exchange-contract.ts"
import { firstFlows, readyLanes, tasksOfReady } from "./lane-reader.ts"
import type { Mode } from "./mode.ts"
import type { Shared } from "./opening.ts"
import type { Sql } from "./sql.ts"

export interface ForeseenExchange {
  readonly ns: number
  readonly mode: Mode
  readonly request: ExchangeRequest
  readonly shared: Shared
}

/** How many gates that are due a claim looks at. */
export function mostDue(max: number): number {
  return Math.min(max, budgets.claimTasks) + budgets.dueGates
}

export function foreseeExchange(sql: Sql, asked: ForeseenExchange): void {
  const { workerId, settles, heartbeats, claim } = asked.request
  const types = [...new Set((claim?.types ?? []).map(({ type }) => type))]
  sql.foresee("lookAhead", asked.ns, workerId, types)
  const completed = settles.filter(({ outcome }) => outcome.kind === "completed").map(({ id }) => id)
  const others = settles.filter(({ outcome }) => outcome.kind !== "completed").map(({ id }) => id)
  if (completed.length > 0) sql.foresee("lockBrief", asked.ns, completed)
  // The same task twice: then the second is read behind what the first has changed.
  const isOnce = new Set(settles.map(({ id }) => id)).size === settles.length
  if (others.length > 0 && isOnce) sql.foresee("lockTasks", asked.ns, others)
  else if (others.length === 0 && completed.length === 0 && heartbeats.length > 0)
    sql.foresee(
      "lockTasks",
      asked.ns,
      heartbeats.map(({ id }) => id),
    )
  if (asked.mode === "free") foreseePlain(sql, asked, types)
  else foreseeGated(sql, asked, types, completed)
}

function foreseePlain(sql: Sql, { request, shared }: ForeseenExchange, types: readonly string[]): void {
  const wanted = Math.min(request.claim?.max ?? 0, budgets.claimTasks)
  for (const type of types) {
    const lane = shared.plainLanes.get(type)
    if (lane !== undefined && wanted > 0) sql.foresee("lockPlainTasks", lane, wanted)
  }
}

function foreseeGated(sql: Sql, { ns, request, shared }: ForeseenExchange, types: readonly string[], completed: readonly string[]): void {
  sql.foresee("readLimitsOfTypes", ns, types)
  const isKnown = shared.knownGates.isLikely
  if (completed.length > 0 && !isKnown) sql.foresee("readGatesOfTasks", ns, completed)
  const max = request.claim?.max ?? 0
  if (max === 0) return
  sql.foresee("firstDues", ns, types, mostDue(max))
  const lanes = readyLanes(max)
  for (const type of types) {
    const flow = shared.soleFlows.get(type)
    sql.foresee("readFlows", ns, type, firstFlows, 0, null)
    if (flow === undefined) continue
    sql.foresee("readReadyLanes", ns, type, flow, lanes, 0, tasksOfReady)
    if (!isKnown) sql.foresee("readGatesOfLanes", ns, type, flow, lanes)
  }
}

export function foreseeSubmit(sql: Sql, ns: number, { tasks }: SubmitRequest): void {
  const ids = tasks.map(({ id }) => id)
  if (ids.length > 0) sql.foresee("lockTasks", ns, ids)
  const keys = tasks.flatMap(({ idempotencyKey }) => idempotencyKey ?? [])
  if (keys.length > 0) sql.foresee("loadByKeys", ns, keys)
  sql.foresee("takeTaskNumbers")
}
