// What a handler is given beside its input.

import type { Duration } from "../units/index.ts"
import type { AnyLimit, CostOptions } from "./limit.ts"
import type { Queue } from "./queue.ts"
import type { Task } from "./task.ts"

/** What a handler is run with: its task, a signal that says when to stop, and the ways to speak with its gates. */
export interface Context<Input = unknown> {
  readonly task: Task<Input>
  /** Grows with each claim of this task. Pass it to whatever the handler writes to, and let that refuse older ones. */
  readonly fence: number
  readonly queue: Queue
  /** Fires on timeout, cancellation, a lost lease and at the end of a shutdown's grace; `signal.reason.code` says which. */
  readonly signal: AbortSignal
  readonly log: Log
  /** Kept with the task and shown while it runs. */
  progress(value: unknown): void
  /** Ends the run: the task comes back after the delay, at no cost of a retry. Throws a RescheduleError, so it never returns. */
  reschedule(delay: Duration, options?: { readonly extendExpiration?: Duration; readonly reason?: string }): never
  /**
   * What this run has really cost, where that differs from what was charged: the gate is corrected when the run ends, however it
   * ends. The last call for each limit counts.
   */
  spent(actual: number, options?: SpentOptions): void
  /** One more request at a limit that the task has passed: resolves when it may go out. A claim pays for the first one. */
  permit(limit: AnyLimit | string, options?: CostOptions): Promise<void>
  /**
   * The platform's fetch, with the handler's signal. What the answer says of limits is told to the gates that the task passes: a 429
   * closes them and ends the run, which costs no retry; a bare 403 or 503 ends it too, three times at most. A further
   * request of the same run waits for its permit first.
   */
  fetch(input: string | URL, init?: RequestInit, options?: FetchOptions): Promise<Response>
  /** The same for the answer of another client, or for the error that it has thrown. */
  observe(answer: unknown, options?: ObserveOptions): Observed
}

export interface ObserveOptions {
  /** The limit that the request is about; every one that the task passes if not given. */
  readonly limit?: AnyLimit | string
  /** Statuses that are about the request and end the run; 403 and 503 if not given. */
  readonly blocking?: readonly number[]
  /** "return": the gates learn of it, and the handler goes on. */
  readonly onRefusal?: "throw" | "return"
}

export interface FetchOptions extends ObserveOptions {
  /** What a further request costs; as much as the first if not given. */
  readonly cost?: number
}

/** What an answer said. */
export interface Observed {
  readonly isRefused: boolean
  /** Null where there was no answer. */
  readonly status: number | null
  readonly retryAfterMs: number | null
}

export interface SpentOptions {
  /** The limit or its name. May be left out where the task passes one gate only, or one only that costs more than 1. */
  readonly limit?: AnyLimit | string
}

export type LogLevel = "debug" | "info" | "warn" | "error"
export type Log = Readonly<Record<LogLevel, (message: string, fields?: Readonly<Record<string, unknown>>) => void>>
