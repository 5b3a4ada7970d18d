// What the model knows of a task and of what is asked about one, in its own words: nothing here comes from src.

export type Status = "pending" | "running" | "completed" | "failed" | "cancelled" | "expired" | "archived"
export type Entry = { atMs: number; status: Status; event: string } & Notes
export type Notes = { workerId?: string; delayMs?: number; count?: number; expiresAtMs?: number; reason?: string; error?: string }
export type When = { atMs: number } | { inMs: number } | null

export type Gate = { limit: string; key: string; cost: number }

export interface Asked {
  id: string
  type: string
  input: string
  priority: number
  tags: string[]
  jobId: string | null
  flow: string
  gates: Gate[] | null
  schedule: When
  expiry: When
  maxRetries: number
  maxReschedules: number | null
  maxThrottles: number | null
  timeoutMs: number
  idempotencyKey: string | null
  inputDigest: string | null
}

/** What a task is before anything has happened to it. */
export const born = {
  status: "pending" as Status,
  output: null as string | null,
  progress: null as string | null,
  forecastAtMs: null as number | null,
  expiredAtMs: null as number | null,
  startedAtMs: null as number | null,
  completedAtMs: null as number | null,
  cancelRequestedAtMs: null as number | null,
  retryCount: 0,
  rescheduleCount: 0,
  throttleCount: 0,
  crashCount: 0,
  attempt: 0,
  fence: 0,
  version: 1,
  workerId: null as string | null,
  claimNumber: null as number | null,
  leaseExpiresAtMs: null as number | null,
  lastError: null as string | null,
  lastOutcome: null as string | null,
}
type Times = { seq: number; createdAtMs: number; updatedAtMs: number; availableAtMs: number; readyAtMs: number; expiresAtMs: number | null }
export type Task = Omit<Asked, "schedule" | "expiry"> & typeof born & Times

export interface Outcome {
  kind: string
  output?: string | null
  error?: string
  delayMs?: number
  extendExpirationMs?: number
  reason?: string | null
  status?: number | null
}

export type Route = { id: string; gates: Gate[]; flow: string | null } | { id: string; error: string }

export interface Exchange {
  workerId: string
  settles: { id: string; fence: number; outcome: Outcome }[]
  heartbeats: { id: string; fence: number; progress: string | null }[]
  leaseMs: number
  claim: { number: number; types: { type: string; room: number }[]; max: number } | null
}

export interface Backoff {
  baseMs: number
  factor: number
  capMs: number
}
