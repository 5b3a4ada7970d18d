// What a task is inside Sluice: a plain value with whole numbers for times and JSON text for payloads. Stores keep it,
// transitions make a new one from it, and only the edges turn it into what people see (`Task`) or send (the document).

import type { OutcomeKind } from "./outcome.ts"
import type { Status } from "./status.ts"

/** One gate that a task passes through: a limit, the key it is split by ("" where it is not), and what one run costs there. */
export interface GateRef {
  readonly limit: string
  readonly key: string
  /** What is known beforehand. A cost of 1 is no more than the least: what runs really spend is learned then. */
  readonly cost: number
  /** What a run costs at most: between the two it is learned. */
  readonly most?: number
  /** What the latest claim was charged, where that was learned; else it was the cost. */
  readonly reserved?: number
  /** By how much the true time may have been ahead of the clock when the latest claim was charged; absent where it was exact. */
  readonly lateMs?: number
  /** The least distance between two starts that the task asks for. */
  readonly delayMs?: number
}

export interface TaskRecord {
  readonly id: string
  /** Given by the store in the order of submission; breaks ties. */
  readonly seq: number
  readonly type: string
  readonly status: Status
  /** Higher runs earlier. */
  readonly priority: number
  readonly input: string
  readonly output: string | null
  readonly progress: string | null
  readonly tags: readonly string[]
  readonly jobId: string | null
  readonly idempotencyKey: string | null
  readonly inputDigest: string | null
  /** What lanes are shared out fairly between. */
  readonly flow: string
  /** Null while nobody who has the code has said which: such a task is claimed by no one. */
  readonly gates: readonly GateRef[] | null
  /** When it was expected to start, at submission; null where nothing held it. */
  readonly forecastAtMs: number | null

  readonly createdAtMs: number
  readonly updatedAtMs: number
  /** Not claimed before this. */
  readonly availableAtMs: number
  /** Its place in the lane. Moves with a retry or a reschedule; a throttled or released task keeps it. */
  readonly readyAtMs: number
  readonly expiresAtMs: number | null
  readonly expiredAtMs: number | null
  readonly startedAtMs: number | null
  /** When it completed, failed or was cancelled. */
  readonly completedAtMs: number | null
  readonly cancelRequestedAtMs: number | null

  readonly retryCount: number
  readonly maxRetries: number
  readonly rescheduleCount: number
  readonly maxReschedules: number | null
  readonly throttleCount: number
  readonly maxThrottles: number | null
  /** Lost leases in a row: any settle by a living worker sets it back to 0. */
  readonly crashCount: number

  /** Runs that were started and not given back. */
  readonly attempt: number
  /** Grows by one with each claim. */
  readonly fence: number
  /** Grows by one with each change that the history shows. */
  readonly version: number
  readonly workerId: string | null
  readonly claimNumber: number | null
  readonly leaseExpiresAtMs: number | null
  readonly timeoutMs: number
  readonly lastError: string | null
  /** How the lease with the current fence ended; makes a repeated settle recognisable. */
  readonly lastOutcome: OutcomeKind | "lost" | null
}

export function isExpiredAt(task: Pick<TaskRecord, "expiresAtMs">, nowMs: number): boolean {
  return task.expiresAtMs !== null && nowMs >= task.expiresAtMs
}

/** "limit/key", or the limit's name alone where it is not split. */
export function gateName({ limit, key }: Pick<GateRef, "limit" | "key">): string {
  return key === "" ? limit : `${limit}/${key}`
}
