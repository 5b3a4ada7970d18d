// A task from the row that the script answers with: id, packed record (layout.ts says what stands where), and the input where that is
// kept apart.

import { SluiceError, shown } from "../../errors/index.ts"
import type { GateRef, TaskRecord } from "../../task/index.ts"
import { type StoredGateRef, storedOutcomes, storedStatuses } from "./layout.ts"
import { Packed } from "./message-pack.ts"

type Value = unknown

export function toTask(id: string, packed: Buffer, apart: Buffer): TaskRecord {
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
  const wholeOrNull = (value: Value) => {
    if (value === false || value === undefined) return null
    if (Number.isSafeInteger(value)) return value as number
    throw damaged(id, `a whole number instead of ${shown(value)}`)
  }
  const textOrNull = (value: Value) => {
    if (value === false || value === undefined) return null
    if (typeof value === "string") return value
    throw damaged(id, `a text instead of ${shown(value)}`)
  }
  const createdAtMs = live[3] as number
  const whole = (value: Value) => wholeOrNull(value) ?? 0
  const after = (value: Value) => (value === false || value === undefined ? null : instant(id, createdAtMs + whole(value)))
  const status = storedStatuses[live[0] as number]
  const type = live[2] as string
  const input = fixed[0] === true ? apart.toString() : fixed[0]
  if (status === undefined || typeof type !== "string" || typeof input !== "string") throw damaged(id, "a status, a type and an input")
  instant(id, createdAtMs)
  return {
    id,
    seq: whole(live[1]),
    type,
    status,
    priority: whole(live[7]),
    input,
    output: textOrNull(live[24]),
    progress: textOrNull(live[26]),
    tags: toTags(id, fixed[5]),
    jobId: textOrNull(live[11]),
    idempotencyKey: textOrNull(fixed[6]),
    inputDigest: textOrNull(fixed[7]),
    flow: textOrNull(live[12]) ?? type,
    gates: toGates(id, live[13]),
    forecastAtMs: after(live[14]),
    createdAtMs,
    updatedAtMs: after(live[17]) ?? createdAtMs,
    availableAtMs: after(live[4]) ?? createdAtMs,
    readyAtMs: after(live[5]) ?? createdAtMs,
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
/** The last that a Date can hold, and one more: what comes back goes behind what is ready by then. */
const lastMs = 8.64e15 + 1

function instant(id: string, ms: number): number {
  if (Number.isSafeInteger(ms) && Math.abs(ms) <= lastMs) return ms
  throw damaged(id, `a time instead of ${shown(ms)}`)
}

function toTags(id: string, stored: Value): readonly string[] {
  if (stored === false || stored === undefined) return none
  if (Array.isArray(stored) && stored.every((tag) => typeof tag === "string")) return stored
  throw damaged(id, "tags")
}

function toGates(id: string, stored: Value): readonly GateRef[] | null {
  if (stored === true) return null
  if (stored === false || stored === undefined) return none
  if (Array.isArray(stored) && stored.every(isGate)) return stored.map(toGate)
  throw damaged(id, "gates")
}

function isGate(stored: unknown): stored is StoredGateRef {
  if (!Array.isArray(stored)) return false
  const [limit, key, cost] = stored
  return typeof limit === "string" && typeof key === "string" && Number.isSafeInteger(cost)
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
