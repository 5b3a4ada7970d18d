// A task as people see it: times are Dates, payloads are values, and it does not change. A later state is another Task.

import { type TaskDocument, toDocument } from "../store/index.ts"
import { isExpiredAt, type Status, type TaskRecord } from "../task/index.ts"

const inspect = Symbol.for("nodejs.util.inspect.custom")

export class Task<Input = unknown, Output = unknown> {
  readonly #record: TaskRecord
  #input: { readonly value: Input } | null = null

  constructor(record: TaskRecord) {
    this.#record = record
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
    this.#input ??= { value: JSON.parse(this.#record.input) as Input }
    return this.#input.value
  }
  get output(): Output | null {
    return this.#record.output === null ? null : (JSON.parse(this.#record.output) as Output)
  }
  /** What the handler last gave to `ctx.progress`. */
  get progress(): unknown {
    return this.#record.progress === null ? null : JSON.parse(this.#record.progress)
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
    return toDocument(this.#record)
  }

  [inspect](): unknown {
    return this.toJSON()
  }
}

function date(ms: number | null): Date | null {
  return ms === null ? null : new Date(ms)
}
