// How long a task had waited when it was claimed, and what for.

import type { TaskRecord } from "../task/index.ts"
import type { WorkerEvents } from "./events.ts"

/** By the store's clock. What was expected to be held at its submission, or was refused since, has waited at a gate. */
export function waitOf(task: TaskRecord): Pick<WorkerEvents["task.claimed"], "waitedMs" | "waitedFor" | "scheduledMs"> {
  const startedAtMs = task.startedAtMs ?? task.updatedAtMs
  const isGated = (task.gates?.length ?? 0) > 0 && ((task.forecastAtMs ?? 0) > task.createdAtMs || task.throttleCount > 0)
  return {
    waitedMs: Math.max(0, startedAtMs - task.availableAtMs),
    waitedFor: isGated ? "gate" : "worker",
    scheduledMs: task.fence === 1 ? Math.max(0, task.availableAtMs - task.createdAtMs) : 0,
  }
}
