// A task from the row that the script answers with: id, packed record (layout.ts says what stands where), and the input where that is
// kept apart.

import { SluiceError, shown } from "../../errors/index.ts"
import type { GateRef, TaskRecord } from "../../task/index.ts"
import { type StoredGateRef, storedOutcomes, storedStatuses } from "./layout.ts"
import { Packed } from "./message-pack.ts"

type Value = unknown

export function toTask(id: string, packed: Buffer, input: Buffer): TaskRecord {
  const bytes = new Packed(packed)
  let live: Value
  let fixed: Value
  try {
    live = bytes.next()
    fixed = bytes.next()
  } catch {
    throw damaged(id, "a packed task")
  }
  if (!Array.isArray(live) || !Array.isArray(fixed)) throw damaged(id, "a packed task")
  const createdAtMs = live[3] as number
  const after = (value: Value) => (typeof value === "number" ? createdAtMs + value : null)
  const whole = (value: Value) => (typeof value === "number" ? value : 0)
  const wholeOrNull = (value: Value) => (typeof value === "number" ? value : null)
  const textOrNull = (value: Value) => (typeof value === "string" ? value : null)
  const status = storedStatuses[live[0] as number]
  const type = live[2] as string
  if (status === undefined || typeof type !== "string" || typeof createdAtMs !== "number") throw damaged(id, "a status, a type and a time")
  return {
    id,
    seq: whole(live[1]),
    type,
    status,
    priority: whole(live[7]),
    input: fixed[0] === true ? input.toString() : (fixed[0] as string),
    output: textOrNull(live[24]),
    progress: textOrNull(live[26]),
    tags: Array.isArray(fixed[5]) ? (fixed[5] as string[]) : none,
    jobId: textOrNull(live[11]),
    idempotencyKey: textOrNull(fixed[6]),
    inputDigest: textOrNull(fixed[7]),
    flow: textOrNull(live[12]) ?? type,
    gates: toGates(live[13]),
    forecastAtMs: after(live[14]),
    createdAtMs,
    updatedAtMs: after(live[17]) ?? createdAtMs,
    availableAtMs: createdAtMs + whole(live[4]),
    readyAtMs: createdAtMs + whole(live[5]),
    expiresAtMs: after(live[10]),
    expiredAtMs: after(live[32]),
    startedAtMs: after(live[18]),
    completedAtMs: after(live[25]),
    cancelRequestedAtMs: after(live[31]),
    retryCount: whole(live[27]),
    maxRetries: whole(fixed[1]),
    rescheduleCount: whole(live[28]),
    maxReschedules: wholeOrNull(fixed[3]),
    throttleCount: whole(live[29]),
    maxThrottles: wholeOrNull(fixed[4]),
    crashCount: whole(live[30]),
    attempt: whole(live[16]),
    fence: whole(live[15]),
    version: whole(live[6]),
    workerId: textOrNull(live[19]),
    claimNumber: wholeOrNull(live[20]),
    leaseExpiresAtMs: after(live[21]),
    timeoutMs: whole(fixed[2]),
    lastError: textOrNull(live[33]),
    lastOutcome: typeof live[22] === "number" ? (storedOutcomes[live[22]] ?? null) : null,
  }
}

const none: readonly never[] = []

function toGates(stored: Value): readonly GateRef[] | null {
  if (stored === true) return null
  return Array.isArray(stored) ? (stored as StoredGateRef[]).map(toGate) : none
}

function toGate([limit, key, cost, most, reserved, delayMs]: StoredGateRef): GateRef {
  return {
    limit,
    key,
    cost,
    ...(typeof most === "number" ? { most } : {}),
    ...(typeof reserved === "number" ? { reserved } : {}),
    ...(typeof delayMs === "number" ? { delayMs } : {}),
  }
}

function damaged(id: string, expected: string): SluiceError {
  return new SluiceError("store_damaged", `task ${shown(id)}: expected ${expected}, got bytes that are none`)
}
