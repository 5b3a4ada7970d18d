// Every metric there is. `process`: counted by the process whose queue and workers it is, from their events. `store`: read from the store when
// it is asked for, and the same wherever it is asked.

import type { Definition } from "./registry.ts"

const type = ["task_type"]
const seconds = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 900, 3_600]
const longSeconds = [1, 10, 30, 60, 300, 900, 3_600, 21_600, 86_400, 604_800]
const shortSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]
/** As the store keeps them: powers of two of a millisecond. */
export const errorBuckets = Array.from({ length: 25 }, (_, bucket) => 2 ** bucket / 1_000)

interface Listed extends Omit<Definition, "name"> {
  readonly source: "process" | "store"
}

const counter = (help: string, labels: readonly string[]): Listed => ({ source: "process", type: "counter", help, labels })
const histogram = (help: string, labels: readonly string[], buckets: readonly number[]): Listed => ({
  ...{ source: "process", type: "histogram", help, labels, buckets },
})
const gauge = (help: string, labels: readonly string[]): Listed => ({ source: "store", type: "gauge", help, labels })

/** `key` is a label only where it was asked for: there may be any number of keys. */
const ofGate = ["limit", "key"]

export const catalogue = {
  sluice_tasks_submitted_total: counter("Tasks that this process has submitted.", type),
  sluice_task_ttl_seconds: histogram("From submission to expiry, of tasks with one that this process has submitted.", type, longSeconds),
  sluice_tasks_claimed_total: counter("Tasks that workers of this process have claimed.", type),
  sluice_task_wait_seconds: histogram(
    "How long claimed tasks had waited: for a gate or for a worker once they were due, or by schedule until they were.",
    ["task_type", "reason"],
    seconds,
  ),
  sluice_task_run_seconds: histogram("How long runs took.", ["task_type", "outcome"], seconds),
  sluice_tasks_settled_total: counter("Runs by how they ended.", ["task_type", "outcome"]),
  sluice_tasks_retried_total: counter("Runs that failed and are tried again.", type),
  sluice_tasks_rescheduled_total: counter("Runs whose handler asked for later.", type),
  sluice_reschedule_delay_seconds: histogram("How much later handlers asked for.", type, longSeconds),
  sluice_tasks_cancelled_total: counter("Tasks that this process has cancelled, or asked to stop.", type),
  sluice_rate_limited_total: counter('Runs that the other side has refused as too fast (429s). limit "" means all of the task.', [
    "task_type",
    "limit",
  ]),
  sluice_cooldowns_total: counter("Cooldowns of gates that workers of this process have caused.", ["limit"]),
  sluice_pace_changes_total: counter("Changes of the distance that a gate keeps between starts.", ["limit"]),
  sluice_concurrency_overrides_total: counter("Changes of the number of slots that a gate has learned.", ["limit"]),
  sluice_lease_losses_total: counter("Runs that were stopped because their lease was lost.", type),
  sluice_stale_settles_total: counter("Outcomes that the store refused because another worker had the task.", type),
  sluice_overruns_total: counter("Handlers that went on after their run was ended.", type),
  sluice_claim_seconds: histogram("How long exchanges with a claim took.", [], shortSeconds),
  sluice_exchange_seconds: histogram("How long exchanges with the store took.", [], shortSeconds),
  sluice_store_unavailable_total: counter("Calls of workers that the store did not answer.", []),
  sluice_limit_detached_total: counter("Times that a limit outside the queue went on without the store.", ["limit"]),
  sluice_sweep_total: counter("What sweeps by this process have done.", ["what"]),

  sluice_tasks: gauge("Tasks by status.", ["status"]),
  sluice_tasks_expired_total: { ...gauge("Tasks that were not started in time.", type), type: "counter" },
  sluice_tasks_near_expiration: gauge("Waiting tasks that expire soon: within 5 minutes, unless it was asked for otherwise.", type),
  sluice_oldest_waiting_seconds: gauge("How long the first of the waiting tasks has been due.", []),
  sluice_workers: gauge("Workers that were heard of in the last 90 seconds.", []),
  sluice_limit_gates: gauge("Gates of a limit.", ["limit"]),
  sluice_limit_waiting_tasks: gauge("Tasks that wait and pass a gate of the limit.", ["limit"]),
  sluice_limit_paused: gauge("1 while the limit is paused or closed by hand.", ["limit"]),
  sluice_gate_utilisation: gauge("How full the fullest gate of the limit is, from 0 to 1.", ofGate),
  sluice_gate_in_flight: gauge("Slots that are taken.", ofGate),
  sluice_gate_slots: gauge("Slots that there are, after what was learned.", ofGate),
  sluice_gate_delay_seconds: gauge("The longest distance between starts that a gate keeps.", ofGate),
  sluice_gates_cooling: gauge("Gates that are closed because the other side said so.", ["limit"]),
  sluice_gates_overridden: gauge("Gates that have fewer slots than the code says, because of what was learned.", ["limit"]),
  sluice_forecast_error_seconds: {
    ...{ source: "store", type: "histogram", labels: type, buckets: errorBuckets },
    help: "How far forecasts at submission were from the true start. The sum is an upper bound.",
  },
} as const satisfies Readonly<Record<string, Listed>>

export type MetricName = keyof typeof catalogue
