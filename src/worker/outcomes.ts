// From what a handler returned or threw to the outcome that the store is told.

import { isSluiceError, SluiceError } from "../errors/index.ts"
import {
  type Backoff,
  backoffMs,
  type Outcome,
  type RateLimitError,
  type RescheduleError,
  statusOf,
  type TaskRecord,
} from "../task/index.ts"
import { toJson } from "../units/index.ts"

/** Why a run is asked to stop. */
export type StopReason = "timeout" | "cancelled" | "lease_lost" | "shutdown"

const messages: Readonly<Record<StopReason, string>> = {
  timeout: "timeout",
  cancelled: "cancelled: somebody asked for this task to be cancelled",
  lease_lost: "lease lost: the store could not be reached in time, or gave the task to another worker",
  shutdown: "shutdown: the worker is stopping and its grace period is over",
}

export function stopError(reason: StopReason): SluiceError {
  return new SluiceError(reason, messages[reason])
}

export function outcomeOfValue(value: unknown, maxBytes: number): Extract<Outcome, { kind: "completed" | "failed" }> {
  if (value === undefined) return { kind: "completed", output: null }
  try {
    return { kind: "completed", output: toJson("output", value, maxBytes) }
  } catch (error) {
    return { kind: "failed", error: messageOf(error) }
  }
}

export interface Policy {
  readonly backoff: Backoff
  readonly random: number
}

export function outcomeOfError(task: TaskRecord, error: unknown, policy: Policy): Outcome {
  if (isSluiceError(error) && error.code === "reschedule") {
    const { delayMs, extendExpirationMs, reason } = error as RescheduleError
    return { kind: "rescheduled", delayMs, extendExpirationMs, reason: reason === null ? null : messageOf(reason) }
  }
  if (isSluiceError(error) && error.code === "rate_limited") return throttled(task, error as RateLimitError, policy.random)
  // Anything can be thrown, even what throws when it is looked at.
  const status = attempt(() => statusOf(error))
  const upstream = status === null ? {} : { status }
  if (isPermanent(error)) return { kind: "failed", error: messageOf(error), ...upstream }
  return { ...retried(task, messageOf(error), policy), ...upstream }
}

const throttleStepsMs = [2_000, 4_000, 8_000, 16_000, 30_000] as const

/** The delay is for a task that passes no gate. Up to a tenth is added, so that what was refused together does not return together. */
function throttled(task: TaskRecord, error: RateLimitError, random: number): Outcome {
  const { status, limit, retryAfterMs, scope, retries } = error
  const stepMs = throttleStepsMs[Math.min(task.throttleCount, throttleStepsMs.length - 1)] ?? 0
  const baseMs = retryAfterMs ?? stepMs
  const delayMs = baseMs + Math.ceil((baseMs * random) / 10)
  return {
    kind: "throttled",
    error: messageOf(error),
    status,
    limit,
    retryAfterMs,
    delayMs,
    random,
    // An error of another copy of this package may know neither.
    ...(scope === "task" ? { scope } : {}),
    ...(typeof retries === "number" ? { cap: retries } : {}),
  }
}

/** Trying again would not help: the handler says so, or the input does not fit. */
export function isPermanent(error: unknown): boolean {
  return isSluiceError(error) && (error.code === "permanent" || error.code === "invalid_input")
}

export function outcomeOfStop(task: TaskRecord, reason: StopReason, policy: Policy): Outcome | null {
  switch (reason) {
    case "timeout":
      return retried(task, "timeout", policy)
    case "cancelled":
      return { kind: "cancelled" }
    case "shutdown":
      return { kind: "released", reason: "shutdown" }
    case "lease_lost":
      return null
  }
}

function attempt<T>(look: () => T): T | null {
  try {
    return look()
  } catch {
    return null
  }
}

function retried(task: TaskRecord, error: string, policy: Policy): Extract<Outcome, { kind: "retried" }> {
  return { kind: "retried", error, delayMs: backoffMs(policy.backoff, task.retryCount + 1, policy.random) }
}

/** Kept with the task and shown to people: bounded, and of any thrown value. */
export function messageOf(error: unknown): string {
  const text = textOf(error).replaceAll("\u0000", "").toWellFormed()
  return text.length > 2_000 ? `${text.slice(0, 1_997).toWellFormed()}...` : text
}

function textOf(error: unknown): string {
  if (typeof error === "string") return error === "" ? "threw an empty text" : error
  try {
    if (error instanceof Error) return withCauses(error)
    // What some clients throw is no Error, but says what is wrong.
    const { message } = (error ?? {}) as { message?: unknown }
    return typeof message === "string" && message !== "" ? message : `threw ${String(error)}`
  } catch {
    // Anything can be thrown, even what has no text: an object without a prototype, a message that throws when it is read.
    return "threw something that has no text"
  }
}

const mostCauses = 3

/** "fetch failed: connect ECONNREFUSED 127.0.0.1:8080": what failed is often said by the cause alone. */
function withCauses(error: Error): string {
  const texts: string[] = []
  let next: unknown = error
  for (let i = 0; i <= mostCauses && next instanceof Error; i++) {
    const text = String(next.message || next.name)
    if (!texts.some((one) => one.includes(text))) texts.push(text)
    next = next.cause ?? (next instanceof AggregateError ? next.errors[0] : undefined)
  }
  return texts.join(": ")
}
