// What happens to one task in the model: outcomes, lost leases and what people ask for. Where the task stands in the queue
// is the model's own affair.

import type { Backoff, Entry, Notes, Outcome, Status, Task } from "./model-task.ts"

const noLease = { workerId: null, claimNumber: null, leaseExpiresAtMs: null }
const unused = { retryCount: 0, rescheduleCount: 0, throttleCount: 0, crashCount: 0 }

export abstract class Life {
  protected nowMs = 0
  protected readonly histories = new Map<string, Entry[]>()

  /** Called after every change. */
  protected abstract place(task: Task): void

  protected isLate(task: Task, atMs = this.nowMs): boolean {
    return task.expiresAtMs !== null && atMs >= task.expiresAtMs
  }

  protected move(task: Task, status: Status, event: string, fields: Partial<Task> = {}, notes: Notes = {}): void {
    Object.assign(task, fields, { status, updatedAtMs: this.nowMs, version: task.version + 1 })
    this.histories.get(task.id)?.push({ atMs: this.nowMs, status, event, ...notes })
    this.place(task)
  }

  protected expireNow(task: Task): void {
    this.move(task, "expired", "expired", { expiredAtMs: this.nowMs })
  }

  protected settle(task: Task | undefined, fence: number, outcome: Outcome) {
    if (task?.fence !== fence) return { kind: "stale" }
    if (task.status !== "running") return task.lastOutcome === outcome.kind ? { kind: "ok", status: task.status } : { kind: "stale" }
    Object.assign(task, noLease, { crashCount: 0, lastOutcome: outcome.kind })
    this.end(task, outcome)
    return { kind: "ok", status: task.status }
  }

  private end(task: Task, { kind, delayMs = 0, error = "", ...outcome }: Outcome) {
    const done = { completedAtMs: this.nowMs }
    if (kind === "completed") return this.move(task, "completed", "completed", { ...done, output: outcome.output ?? null, lastError: null })
    if (kind === "failed") return this.fail(task, error)
    if (kind === "retried") return this.again(task, "retried", error, delayMs)
    if (kind === "cancelled" || task.cancelRequestedAtMs !== null) return this.move(task, "cancelled", "cancelled", done)
    if (kind === "released") {
      if (this.isLate(task)) return this.expireNow(task)
      const back = { attempt: task.attempt - 1, availableAtMs: this.nowMs }
      return this.move(task, "pending", "released", back, { reason: outcome.reason ?? "" })
    }
    if (kind === "throttled") {
      const last = outcome.status === null ? "" : `, last upstream status ${outcome.status}`
      if (task.throttleCount === task.maxThrottles) return this.fail(task, `Max throttles (${task.maxThrottles}) exceeded${last}`)
      const count = task.throttleCount + 1
      const waits = { throttleCount: count, lastError: error, readyAtMs: task.readyAtMs }
      return this.back(task, "throttled", waits, delayMs, { delayMs, count })
    }
    if (task.rescheduleCount === task.maxReschedules) return this.fail(task, `Max reschedules (${task.maxReschedules}) exceeded`)
    const count = task.rescheduleCount + 1
    const notes: Notes = { delayMs, count, ...(outcome.reason === null ? {} : { reason: outcome.reason ?? "" }) }
    if (task.expiresAtMs !== null && outcome.extendExpirationMs) {
      notes.expiresAtMs = task.expiresAtMs + outcome.extendExpirationMs
      task.expiresAtMs = notes.expiresAtMs
    }
    this.back(task, "rescheduled", { rescheduleCount: count }, delayMs, notes)
  }

  private again(task: Task, event: string, error: string, delayMs: number) {
    if (task.cancelRequestedAtMs !== null) {
      return this.move(task, "cancelled", "cancelled", { completedAtMs: this.nowMs, lastError: error })
    }
    if (task.retryCount === task.maxRetries) return this.fail(task, error)
    const count = task.retryCount + 1
    this.back(task, event, { retryCount: count, lastError: error }, delayMs, { delayMs, count, error })
  }

  private back(task: Task, event: string, fields: Partial<Task>, delayMs: number, notes: Notes) {
    const dueMs = this.nowMs + delayMs
    Object.assign(task, fields)
    if (this.isLate(task, dueMs)) this.expireNow(task)
    else this.move(task, "pending", event, { availableAtMs: dueMs, readyAtMs: fields.readyAtMs ?? dueMs + 1 }, notes)
  }

  protected fail(task: Task, error: string) {
    this.move(task, "failed", "failed", { completedAtMs: this.nowMs, lastError: error }, { error })
  }

  protected keep(task: Task | undefined, fence: number, progress: string | null, leaseMs: number): "ok" | "stale" {
    if (task?.fence !== fence || task.status !== "running" || this.nowMs >= (task.leaseExpiresAtMs ?? 0)) return "stale"
    task.leaseExpiresAtMs = Math.max(task.leaseExpiresAtMs ?? 0, this.nowMs + leaseMs)
    task.progress = progress ?? task.progress
    return "ok"
  }

  protected lose(task: Task, { baseMs, factor, capMs }: Backoff, random: number) {
    const { workerId, retryCount } = task
    Object.assign(task, noLease, { crashCount: task.crashCount + 1, lastOutcome: "lost" })
    if (task.crashCount >= 3 && task.cancelRequestedAtMs === null)
      return this.fail(task, `poison: its worker was lost ${task.crashCount} times in a row, last ${workerId}`)
    const ceilingMs = Math.min(capMs, baseMs * factor ** retryCount)
    this.again(task, "lost", `lease lost by ${workerId}`, Math.floor(random * (ceilingMs + 1)))
  }

  /** Each answers with the status that could not be reached, or null. */
  protected readonly asked = {
    cancel: (task: Task): Status | null => {
      const now = { cancelRequestedAtMs: this.nowMs }
      if (task.status === "pending") this.move(task, "cancelled", "cancelled", { ...now, completedAtMs: this.nowMs })
      else if (task.status !== "running") return "cancelled"
      else if (task.cancelRequestedAtMs === null) this.move(task, "running", "cancel_requested", now)
      return null
    },
    retry: (task: Task): Status | null => {
      if (task.status !== "failed" && task.status !== "cancelled") return "pending"
      const times = { availableAtMs: this.nowMs, readyAtMs: this.nowMs + 1, completedAtMs: null, cancelRequestedAtMs: null }
      this.move(task, "pending", "requeued", { ...unused, ...times })
      if (this.isLate(task)) this.expireNow(task)
      return null
    },
    archive: (task: Task): Status | null => {
      if (["pending", "running", "archived"].includes(task.status)) return "archived"
      this.move(task, "archived", "archived")
      return null
    },
    expire: (task: Task): Status | null => {
      if (task.status !== "pending") return "expired"
      this.expireNow(task)
      return null
    },
  }
}
