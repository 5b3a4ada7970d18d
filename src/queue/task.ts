// A task as people see it: times are Dates, payloads are values, and it does not change. A later state is another Task.

import { type Forecast, type ForecastBasis, storedJson, type TaskDocument, toDocument } from "../store/index.ts"
import { gateName, isExpiredAt, type Status, type TaskRecord } from "../task/index.ts"
import { formatInstant } from "../units/index.ts"

/** When a task is expected to start, if nothing more arrives and workers have room. */
export interface TaskForecast {
  /** Null: not before somebody does something. */
  readonly at: Date | null
  readonly latest: Date | null
  readonly basis: ForecastBasis
  /** The gate that decides, where one does. */
  readonly gate: string | null
}

const inspect = Symbol.for("nodejs.util.inspect.custom")

/** A task as it was when it was read; `toJSON` gives the document of the wire. */
export class Task<Input = unknown, Output = unknown> {
  readonly #record: TaskRecord
  readonly #forecast: Forecast | null
  #input: { readonly value: Input } | null = null

  constructor(record: TaskRecord, forecast: Forecast | null = null) {
    this.#record = record
    this.#forecast = record.status === "pending" ? forecast : null
  }

  get id(): string {
    return this.#record.id
  }
  get type(): string {
    return this.#record.type
  }
  get status(): Status {
    return this.#record.status
  }
  get input(): Input {
    this.#input ??= { value: storedJson(this.#record, "input") as Input }
    return this.#input.value
  }
  get output(): Output | null {
    return storedJson(this.#record, "output") as Output | null
  }
  /** What the handler last gave to `ctx.progress`. */
  get progress(): unknown {
    return storedJson(this.#record, "progress")
  }
  get priority(): number {
    return this.#record.priority
  }
  get tags(): readonly string[] {
    return this.#record.tags
  }
  get jobId(): string | null {
    return this.#record.jobId
  }
  get idempotencyKey(): string | null {
    return this.#record.idempotencyKey
  }
  /** The names of the gates that it passes; null while nobody who has its code has said which. */
  get gates(): readonly string[] | null {
    return this.#record.gates?.map(gateName) ?? null
  }
  /** As of when the task was asked for. Null where it is not pending, or was not asked for by `submit` or `get`. */
  get forecast(): TaskForecast | null {
    return this.#forecast && forecastView(this.#forecast)
  }
  get estimatedStartAt(): Date | null {
    return date(this.#forecast?.atMs ?? null)
  }
  /** In words: it is expected to expire before it starts. */
  get warning(): string | null {
    const { expiresAtMs } = this.#record
    if (!this.#forecast || expiresAtMs === null) return null
    const { atMs, basis, gate } = this.#forecast
    const isPaused = atMs === null && basis === "paused"
    if (!isPaused && (atMs === null || atMs < expiresAtMs)) return null
    const start = atMs === null ? "waits for somebody to resume the limit" : `expected to start at ${formatInstant(atMs)}`
    const held = gate ? ` (held by ${gate})` : ""
    return `${start}${held}, not before it expires at ${formatInstant(expiresAtMs)}: it will expire instead, unless something changes`
  }
  get createdAt(): Date {
    return new Date(this.#record.createdAtMs)
  }
  get updatedAt(): Date {
    return new Date(this.#record.updatedAtMs)
  }
  get availableAt(): Date {
    return new Date(this.#record.availableAtMs)
  }
  get expiresAt(): Date | null {
    return date(this.#record.expiresAtMs)
  }
  get expiredAt(): Date | null {
    return date(this.#record.expiredAtMs)
  }
  get startedAt(): Date | null {
    return date(this.#record.startedAtMs)
  }
  /** When it completed, failed or was cancelled. */
  get completedAt(): Date | null {
    return date(this.#record.completedAtMs)
  }
  get cancelRequestedAt(): Date | null {
    return date(this.#record.cancelRequestedAtMs)
  }
  get retryCount(): number {
    return this.#record.retryCount
  }
  get maxRetries(): number {
    return this.#record.maxRetries
  }
  get rescheduleCount(): number {
    return this.#record.rescheduleCount
  }
  get maxReschedules(): number | null {
    return this.#record.maxReschedules
  }
  get throttleCount(): number {
    return this.#record.throttleCount
  }
  get maxThrottles(): number | null {
    return this.#record.maxThrottles
  }
  /** Lost leases in a row. */
  get crashCount(): number {
    return this.#record.crashCount
  }
  get attempt(): number {
    return this.#record.attempt
  }
  get fence(): number {
    return this.#record.fence
  }
  get version(): number {
    return this.#record.version
  }
  get workerId(): string | null {
    return this.#record.workerId
  }
  get leaseExpiresAt(): Date | null {
    return date(this.#record.leaseExpiresAtMs)
  }
  get timeoutSeconds(): number {
    return this.#record.timeoutMs / 1_000
  }
  get lastError(): string | null {
    return this.#record.lastError
  }

  /** Expired means at or after `expiresAt`; a task without one never is. */
  isExpiredAt(at: Date): boolean {
    return isExpiredAt(this.#record, at.getTime())
  }

  toJSON(): TaskDocument {
    return toDocument(this.#record, this.#forecast)
  }

  [inspect](): unknown {
    return this.toJSON()
  }
}

export function forecastView({ atMs, latestMs, basis, gate }: Forecast): TaskForecast {
  return { at: date(atMs), latest: date(latestMs), basis, gate }
}

function date(ms: number | null): Date | null {
  return ms === null ? null : new Date(ms)
}
