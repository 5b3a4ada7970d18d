// What this process does, counted from the events of its queue and its workers.

import type { Queue, QueueEvents } from "../../queue/index.ts"
import type { WorkerEvents } from "../../worker/index.ts"
import type { MetricName } from "./catalogue.ts"
import type { Labels } from "./registry.ts"

/** Where events are counted: in metrics of this house, or in instruments of another. */
export type ProcessTable = Readonly<
  Record<MetricName, { add(labels: Labels, by?: number): void; observe(labels: Labels, value: number): void }>
>

/** A worker, or whoever tells the same of workers elsewhere. */
export interface Telling {
  on<Name extends keyof WorkerEvents>(name: Name, listener: (event: WorkerEvents[Name]) => void): unknown
}

/** Gates whose last word is remembered. */
const mostGates = 10_000

/** Gives back how to end it. */
export function countProcess(queue: Queue, table: ProcessTable): () => void {
  const submitted = ({ type, ttlMs }: QueueEvents["task.submitted"]) => {
    table.sluice_tasks_submitted_total.add({ task_type: type })
    if (ttlMs !== null) table.sluice_task_ttl_seconds.observe({ task_type: type }, ttlMs / 1_000)
  }
  const cancelled = ({ type }: QueueEvents["task.cancelled"]) => table.sluice_tasks_cancelled_total.add({ task_type: type })
  const detached = ({ limit }: QueueEvents["limit.detached"]) => table.sluice_limit_detached_total.add({ limit })
  const made = ({ worker }: QueueEvents["worker.made"]) => countWorker(worker, table)
  queue.on("task.submitted", submitted).on("task.cancelled", cancelled).on("limit.detached", detached).on("worker.made", made)
  return () =>
    void queue.off("task.submitted", submitted).off("task.cancelled", cancelled).off("limit.detached", detached).off("worker.made", made)
}

export function countWorker(worker: Telling, table: ProcessTable): void {
  countRuns(worker, table)
  countGates(worker, table)
  worker.on("exchange.done", ({ durationMs, hasClaim }) => {
    table.sluice_exchange_seconds.observe({}, durationMs / 1_000)
    if (hasClaim) table.sluice_claim_seconds.observe({}, durationMs / 1_000)
  })
  worker.on("store.unavailable", () => table.sluice_store_unavailable_total.add({}))
  worker.on("sweep.done", (swept) => {
    for (const [what, count] of Object.entries(swept)) if (count > 0) table.sluice_sweep_total.add({ what }, count)
  })
}

function countRuns(worker: Telling, table: ProcessTable): void {
  worker.on("task.claimed", ({ type, waitedMs, waitedFor, scheduledMs }) => {
    const task_type = type
    table.sluice_tasks_claimed_total.add({ task_type })
    table.sluice_task_wait_seconds.observe({ task_type, reason: waitedFor }, waitedMs / 1_000)
    if (scheduledMs > 0) table.sluice_task_wait_seconds.observe({ task_type, reason: "schedule" }, scheduledMs / 1_000)
  })
  worker.on("task.settled", ({ type, outcome, durationMs, delayMs }) => {
    const task_type = type
    table.sluice_tasks_settled_total.add({ task_type, outcome })
    table.sluice_task_run_seconds.observe({ task_type, outcome }, durationMs / 1_000)
    if (outcome === "retried") table.sluice_tasks_retried_total.add({ task_type })
    if (outcome !== "rescheduled") return
    table.sluice_tasks_rescheduled_total.add({ task_type })
    table.sluice_reschedule_delay_seconds.observe({ task_type }, (delayMs ?? 0) / 1_000)
  })
  worker.on("task.lost", ({ type }) => table.sluice_lease_losses_total.add({ task_type: type }))
  worker.on("task.stale", ({ type }) => table.sluice_stale_settles_total.add({ task_type: type }))
  worker.on("task.overrun", ({ type }) => table.sluice_overruns_total.add({ task_type: type }))
}

function countGates(worker: Telling, table: ProcessTable): void {
  worker.on("gate.cooling", ({ type, limit }) => {
    table.sluice_rate_limited_total.add({ task_type: type, limit: limit ?? "" })
    table.sluice_cooldowns_total.add({ limit: limit ?? "" })
  })
  /** By gate, what it was told last: whether it is the slots that have changed, or the distance, or both. */
  const told = new Map<string, { readonly everyMs: number; readonly slots: number | null }>()
  worker.on("gate.paced", ({ gate, everyMs, slots }) => {
    const limit = gate.split("/", 1)[0] ?? gate
    const before = told.get(gate) ?? { everyMs: 0, slots: null }
    if (before.everyMs !== everyMs) table.sluice_pace_changes_total.add({ limit })
    if (before.slots !== slots) table.sluice_concurrency_overrides_total.add({ limit })
    told.delete(gate)
    told.set(gate, { everyMs, slots })
    if (told.size > mostGates) for (const oldest of told.keys()) return void told.delete(oldest)
  })
}
