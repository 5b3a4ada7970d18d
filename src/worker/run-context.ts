// What a handler is given. Everything but the task is made when it is asked for: most handlers use little of it, and a hundred small
// functions for each run cost more than a short run itself. Each can be taken out by name, as in `({ input }, { signal, fetch }) => …`.

import type {
  AnyLimit,
  Context,
  CostOptions,
  FetchOptions,
  Log,
  LogLevel,
  Observed,
  ObserveOptions,
  Queue,
  SpentOptions,
  Task,
} from "../queue/index.ts"
import { RescheduleError } from "../task/index.ts"
import { type Duration, parseDuration, readOptions } from "../units/index.ts"
import type { Run } from "./run.ts"

type Fields = Readonly<Record<string, unknown>>

export class RunContext implements Context {
  readonly task: Task
  readonly #run: Run

  constructor(run: Run, task: Task) {
    this.#run = run
    this.task = task
  }

  get fence(): number {
    return this.#run.task.fence
  }

  get queue(): Queue {
    return this.#run.queue
  }

  get signal(): AbortSignal {
    return this.#run.signal
  }

  get log(): Log {
    return logTo((level, message, fields) => this.#run.log(level, message, fields))
  }

  get progress() {
    return (value: unknown): void => this.#run.report(value)
  }

  get reschedule() {
    return reschedule
  }

  get spent() {
    return (actual: number, options?: SpentOptions): void => this.#run.spent(actual, options)
  }

  get permit() {
    return (limit: AnyLimit | string, options?: CostOptions): Promise<void> => this.#run.permit(limit, options)
  }

  get fetch() {
    return (input: string | URL, init?: RequestInit, options?: FetchOptions): Promise<Response> =>
      this.#run.requests.fetch(input, init, options)
  }

  get observe() {
    return (answer: unknown, options?: ObserveOptions): Observed => this.#run.requests.observe(answer, options)
  }
}

export function logTo(write: (level: LogLevel, message: string, fields: Fields) => void): Log {
  const at =
    (level: LogLevel) =>
    (message: string, fields: Fields = {}) =>
      write(level, message, fields)
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") }
}

export function reschedule(delay: Duration, options?: { readonly extendExpiration?: Duration; readonly reason?: string }): never {
  const read = readOptions("ctx.reschedule", options, { extendExpiration: parseDuration, reason: (_name, value) => String(value) })
  throw new RescheduleError({
    delaySeconds: parseDuration("ctx.reschedule: delay", delay) / 1_000,
    extendExpirationSeconds: (read.extendExpiration ?? 0) / 1_000,
    ...(read.reason === undefined ? {} : { reason: read.reason }),
  })
}
