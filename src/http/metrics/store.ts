// What the store says when it is asked: counters of its own and a bounded look at gates.

import { type GateView, type LimitView, type Queue, Task } from "../../queue/index.ts"
import { errorBuckets } from "./catalogue.ts"
import type { MetricTable } from "./index.ts"

export interface StoreSettings {
  readonly nearMs: number
  readonly hasKeys: boolean
}

const mostTypes = 500
const mostGates = 1_000
const mostExpiring = 10_000

export async function readStore(queue: Queue, table: MetricTable, { nearMs, hasKeys }: StoreSettings): Promise<void> {
  const [counts, workers, limits, errors] = await Promise.all([
    queue.counts(),
    queue.workers(),
    queue.limits.list(),
    queue.forecastErrors(),
  ])
  for (const [status, count] of Object.entries(counts)) table.sluice_tasks.set({ status }, count)
  table.sluice_workers.set({}, workers.length)
  const ofProcess = table.sluice_tasks_submitted_total.valuesOf("task_type")
  const told = [
    ...workers.flatMap((worker) => worker.types),
    ...errors.types.map(({ type }) => type),
    ...ofProcess,
    ...seenBy(table).keys(),
  ]
  const types = [...new Set(told)].slice(0, mostTypes)
  await readExpiry(queue, table, types, nearMs)
  readErrors(table, errors.types)
  await readLimits(queue, table, limits, hasKeys)
}

async function readExpiry(queue: Queue, table: MetricTable, known: readonly string[], nearMs: number): Promise<void> {
  const { nowMs, first, expiring } = await queue.store.waiting({ afterSeq: 0, expiringWithinMs: nearMs, limit: mostExpiring })
  const dueAt = first && new Task(first).availableAt
  table.sluice_oldest_waiting_seconds.set({}, dueAt ? Math.max(0, nowMs - dueAt.getTime()) / 1_000 : 0)
  table.sluice_tasks_near_expiration.clear()
  for (const type of known) table.sluice_tasks_near_expiration.set({ task_type: type }, 0)
  for (const { type, count } of expiring) table.sluice_tasks_near_expiration.set({ task_type: type }, count)
  const types = [...new Set([...known, ...expiring.map(({ type }) => type)])]
  await Promise.all(types.map(async (type) => countExpired(table, type, (await queue.counts({ type })).expired)))
}

/** Retention removes what has expired long ago: a counter goes on from where it was. */
function countExpired(table: MetricTable, type: string, count: number): void {
  const labels = { task_type: type }
  const seen = seenBy(table)
  table.sluice_tasks_expired_total.add(labels, Math.max(0, count - (seen.get(type) ?? 0)))
  seen.set(type, count)
}

const expiredSeen = new WeakMap<MetricTable, Map<string, number>>()

/** By type, what the store had when it was last asked. */
function seenBy(table: MetricTable): Map<string, number> {
  const known = expiredSeen.get(table) ?? new Map<string, number>()
  expiredSeen.set(table, known)
  return known
}

function readErrors(
  table: MetricTable,
  types: readonly { readonly type: string; readonly buckets: Readonly<Record<number, number>> }[],
): void {
  const metric = table.sluice_forecast_error_seconds
  metric.clear()
  for (const { type, buckets } of types)
    for (const [bucket, count] of Object.entries(buckets))
      metric.observe({ task_type: type }, errorBuckets[Number(bucket)] ?? 2 ** Number(bucket) / 1_000, count)
}

async function readLimits(queue: Queue, table: MetricTable, limits: readonly LimitView[], hasKeys: boolean): Promise<void> {
  const now = await queue.now()
  const gauges = [
    ...[table.sluice_limit_gates, table.sluice_limit_waiting_tasks, table.sluice_limit_paused, table.sluice_gate_utilisation],
    ...[
      table.sluice_gate_in_flight,
      table.sluice_gate_slots,
      table.sluice_gate_delay_seconds,
      table.sluice_gates_cooling,
      table.sluice_gates_overridden,
    ],
  ]
  const pages = await Promise.all(limits.map(({ name }) => queue.limits.gates(name, { limit: mostGates })))
  for (const gauge of gauges) gauge.clear()
  for (const [i, { name: limit, gateCount, waitingTasks, settings }] of limits.entries()) {
    const gates = pages[i]?.gates ?? []
    const whole = settings[""]
    table.sluice_limit_gates.set({ limit }, gateCount)
    table.sluice_limit_waiting_tasks.set({ limit }, waitingTasks)
    table.sluice_limit_paused.set({ limit }, whole && (whole.isPaused || (whole.closedUntil !== null && whole.closedUntil > now)) ? 1 : 0)
    table.sluice_gates_cooling.set({ limit }, gates.filter(({ cooldown }) => cooldown !== null && cooldown.until > now).length)
    table.sluice_gates_overridden.set(
      { limit },
      gates.filter(({ slots, policy }) => slots !== null && slots.of < (policy.concurrency ?? 0)).length,
    )
    if (hasKeys) for (const gate of gates) readGates(table, { limit, key: gate.key }, [gate])
    else readGates(table, { limit }, gates)
  }
}

/** Of several: the fullest, the slowest, and what they have together. */
function readGates(table: MetricTable, labels: Readonly<Record<string, string>>, gates: readonly GateView[]): void {
  const most = (of: (gate: GateView) => number) => gates.reduce((found, gate) => Math.max(found, of(gate)), 0)
  const sum = (of: (gate: GateView) => number) => gates.reduce((found, gate) => found + of(gate), 0)
  table.sluice_gate_utilisation.set(labels, most(utilisation))
  table.sluice_gate_in_flight.set(
    labels,
    sum(({ slots }) => slots?.held ?? 0),
  )
  table.sluice_gate_slots.set(
    labels,
    sum(({ slots }) => slots?.of ?? 0),
  )
  table.sluice_gate_delay_seconds.set(labels, most(({ learned }) => learned?.everyMs ?? 0) / 1_000)
}

function utilisation({ levels, slots }: GateView): number {
  const shares = [...levels.map(({ used, of }) => (of === 0 ? 0 : used / of)), ...(slots && slots.of > 0 ? [slots.held / slots.of] : [])]
  return Math.min(1, Math.max(0, ...shares))
}
