// A run in a thread of its own, for handlers that block: it can be ended from outside. The thread loads the module that
// exports the task, so a task that is isolated must say which one that is. One thread per run; it ends with the run.

import { Worker as Thread } from "node:worker_threads"
import { isSluiceError, SluiceError } from "../errors/index.ts"
import type { AnyTask, LogLevel, SpentOptions } from "../queue/index.ts"
import type { Answer } from "../store/index.ts"
import { PermanentError, RateLimitError, RescheduleError, type TaskRecord } from "../task/index.ts"
import { isPermanent, messageOf } from "./outcomes.ts"

/** What the thread is given. */
export interface ThreadStart {
  readonly module: string
  readonly task: TaskRecord
  readonly maxBytes: number
}

type Fields = Readonly<Record<string, unknown>>

/** What the thread says. Values are sent as JSON text, checked in the thread: so nothing can fail on the way. */
export type ThreadMessage =
  | { readonly kind: "value"; readonly json: string | null }
  | { readonly kind: "error"; readonly message: string; readonly isPermanent: boolean }
  | { readonly kind: "reschedule"; readonly delaySeconds: number; readonly extendExpirationSeconds: number; readonly reason: string | null }
  | {
      readonly kind: "rate_limited"
      readonly message: string
      readonly status: number
      readonly limit: string | null
      readonly retryAfterMs: number | null
      readonly scope: "gate" | "task"
      readonly retries: number | null
    }
  | { readonly kind: "spent"; readonly actual: number; readonly limit: string }
  /** With ages: a thread has a clock of its own. */
  | { readonly kind: "heard"; readonly answer: Answer }
  /** Answered with a PermitReply of the same number. */
  | { readonly kind: "permit"; readonly number: number; readonly limit: string | null; readonly cost: number | null }
  | { readonly kind: "progress"; readonly json: string }
  | { readonly kind: "log"; readonly level: LogLevel; readonly message: string; readonly fields: Fields }

/** What the thread is told. */
export interface PermitReply {
  readonly number: number
  /** Null: the request may go out. */
  readonly error: ThrownMessage | null
}

export type ThrownMessage = Extract<ThreadMessage, { kind: "error" | "reschedule" | "rate_limited" }>

export interface ThreadHost {
  readonly signal: AbortSignal
  spent(actual: number, options: SpentOptions): void
  hear(answer: Answer): void
  ask(limit: string | null, cost: number | null): Promise<void>
  report(value: unknown): void
  log(level: LogLevel, message: string, fields: Fields): void
}

export function runInThread(start: ThreadStart, host: ThreadHost): Promise<unknown> {
  const entry = new URL(`./thread-entry${import.meta.url.slice(import.meta.url.lastIndexOf("."))}`, import.meta.url)
  const thread = new Thread(entry, { workerData: start, name: start.task.type })
  const terminate = () => void thread.terminate()
  // A thread that blocks cannot be asked; whoever isolates a task wants it ended.
  host.signal.addEventListener("abort", terminate, { once: true })
  return new Promise<unknown>((resolve, reject) => {
    thread.on("message", (message: ThreadMessage) => {
      if (message.kind === "progress") host.report(JSON.parse(message.json))
      else if (message.kind === "spent") host.spent(message.actual, { limit: message.limit })
      else if (message.kind === "heard") host.hear(message.answer)
      else if (message.kind === "permit") void permitFor(thread, host, message)
      else if (message.kind === "log") host.log(message.level, message.message, message.fields)
      else if (message.kind === "value") resolve(message.json === null ? undefined : JSON.parse(message.json))
      else reject(errorFrom(message))
    })
    thread.on("error", reject)
    thread.on("exit", (code) => reject(new Error(`the task's thread ended with exit code ${code} before the task did`)))
  }).finally(() => {
    host.signal.removeEventListener("abort", terminate)
    terminate()
  })
}

async function permitFor(thread: Thread, host: ThreadHost, message: Extract<ThreadMessage, { kind: "permit" }>): Promise<void> {
  const { number, limit, cost } = message
  const error = await host.ask(limit, cost).then(() => null, messageFor)
  thread.postMessage({ number, error } satisfies PermitReply)
}

export function errorFrom(message: ThrownMessage): Error {
  if (message.kind === "reschedule") {
    const { delaySeconds, extendExpirationSeconds, reason } = message
    return new RescheduleError({ delaySeconds, extendExpirationSeconds, ...(reason === null ? {} : { reason }) })
  }
  if (message.kind === "rate_limited") {
    const { message: text, status, limit, retryAfterMs, scope, retries } = message
    const asked = retryAfterMs === null ? {} : { retryAfter: `${retryAfterMs}ms` }
    const capped = retries === null ? {} : { retries }
    return new RateLimitError({ message: text, status, scope, ...(limit === null ? {} : { limit }), ...asked, ...capped })
  }
  return message.isPermanent ? new PermanentError(message.message) : new Error(message.message)
}

/** What the thread sends for something thrown in it. */
export function messageFor(error: unknown): ThrownMessage {
  if (isSluiceError(error) && error.code === "reschedule") {
    const { delayMs, extendExpirationMs, reason } = error as RescheduleError
    return { kind: "reschedule", delaySeconds: delayMs / 1_000, extendExpirationSeconds: extendExpirationMs / 1_000, reason }
  }
  if (isSluiceError(error) && error.code === "rate_limited") {
    const { status, limit, retryAfterMs, scope, retries } = error as RateLimitError
    return { kind: "rate_limited", message: messageOf(error), status, limit, retryAfterMs, scope, retries }
  }
  return { kind: "error", message: messageOf(error), isPermanent: isPermanent(error) }
}

export function checkIsolated(definition: AnyTask): void {
  if (definition.isolate !== "thread" || definition.module !== null) return
  throw new SluiceError(
    "invalid_option",
    `task ${definition.type}: expected module: import.meta.url beside isolate: "thread", so that the thread can load it; got none`,
  )
}
