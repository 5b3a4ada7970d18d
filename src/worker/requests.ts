// The requests of one run: `ctx.fetch`, and `ctx.observe` for other clients. Each answer is noted for the gates of the task; one that
// says "not now" ends the run, unless the handler catches it. Status codes decide, never the texts of errors.

import { SluiceError, shown } from "../errors/index.ts"
import type { AnyLimit, FetchOptions, Observed, ObserveOptions } from "../queue/index.ts"
import { readCost } from "../queue/limit.ts"
import { type Heard, readQuota } from "../quota/index.ts"
import type { Answer } from "../store/index.ts"
import { type GateRef, RateLimitError, type TaskRecord } from "../task/index.ts"
import { anything, listOf, oneOf, parseName, readOptions, wholeNumber } from "../units/index.ts"
import type { World } from "../world/index.ts"
import { type ClientResponse, responseIn } from "./responses.ts"
import { nameOf } from "./spending.ts"

/** An answer with its times on the monotonic clock of whoever noted it. */
export type Noted = Omit<Answer, "sentAgoMs" | "respondedAgoMs"> & { readonly sentAtMs: number; readonly respondedAtMs: number }

/** Times are told as ages, of now: what is told again has grown older. */
export function toAnswer({ sentAtMs, respondedAtMs, ...answer }: Noted, nowMs: number): Answer {
  return { ...answer, sentAgoMs: ageMs(sentAtMs, nowMs), respondedAgoMs: ageMs(respondedAtMs, nowMs) }
}

export function ageMs(atMs: number, nowMs: number): number {
  return Math.max(0, Math.floor(nowMs - atMs))
}

export interface RequestsHost {
  /** For messages, where it is no task. */
  readonly name?: string
  readonly task: Pick<TaskRecord, "type" | "gates">
  readonly world: Pick<World, "fetch" | "monotonicMs" | "wallMs" | "random">
  readonly signal: AbortSignal
  /** When the latest request that nobody has noted may have gone out. */
  readonly sentAtMs: number
  /** Of one limit, or of every one that the task passes; without a cost as much as the claim was charged. */
  permit(limit: string | null, cost: number | null): Promise<void>
  note(answer: Noted): void
}

/** Answers that are about the request and not about the pace, where they say nothing more: a task may get three of them. */
const blockingStatuses: readonly number[] = [403, 503]
const blockedRetries = 3

interface Request {
  readonly limit: string | null
  readonly cost: number | null
  readonly blocking: readonly number[]
  readonly onRefusal: "throw" | "return"
}

const observeReaders = {
  limit: anything<AnyLimit | string>(),
  blocking: listOf(wholeNumber(100, 599), 32),
  onRefusal: oneOf("throw", "return"),
}
const fetchReaders = { ...observeReaders, cost: readCost }

export class Requests {
  private readonly host: RequestsHost
  private count = 0

  constructor(host: RequestsHost) {
    this.host = host
  }

  async fetch(input: string | URL, init?: RequestInit, options?: FetchOptions): Promise<Response> {
    const request = this.read("ctx.fetch", options, fetchReaders)
    const { host } = this
    host.signal.throwIfAborted()
    // The claim has paid for the first one.
    if (this.count++ > 0 && this.gates.length > 0) await host.permit(request.limit, request.cost)
    const sentAtMs = host.world.monotonicMs()
    const signal = init?.signal ? AbortSignal.any([init.signal, host.signal]) : host.signal
    const response = await host.world.fetch(input, { ...init, signal })
    const respondedAtMs = host.world.monotonicMs()
    const heard = readQuota(response, host.world.wallMs())
    const error = this.hear(heard, request, sentAtMs, respondedAtMs)
    if (!error || request.onRefusal === "return") return response
    // Nobody will read it, and an unread body holds its connection.
    await response.body?.cancel().catch(() => {})
    throw error
  }

  /** The same for an answer that another client has got; or for the error that it made of it. */
  observe(answer: unknown, options?: ObserveOptions): Observed {
    const where = `${this.name}: ctx.observe`
    const request = this.read("ctx.observe", options, observeReaders)
    // Whoever has made it: the claim has paid for one.
    this.count++
    const response = responseIn(answer)
    if (!response) {
      if (answer instanceof Error) return { isRefused: false, status: null, retryAfterMs: null }
      throw new SluiceError(
        "invalid_option",
        `${where}: expected a response with a status and headers, or the error of a client, got ${shown(answer)}`,
      )
    }
    const heard = readQuota(response as ClientResponse, this.host.world.wallMs())
    const error = this.hear(heard, request, this.host.sentAtMs, this.host.world.monotonicMs())
    if (error && request.onRefusal === "throw") throw error
    return { isRefused: heard.isRefused, status: heard.status, retryAfterMs: heard.retryAfterMs }
  }

  private read(what: string, options: unknown, readers: typeof observeReaders | typeof fetchReaders): Request {
    const where = `${this.name}: ${what}`
    const read: ReturnType<typeof readOptions<typeof fetchReaders>> = readOptions(where, options, readers)
    const limit = read.limit === undefined ? null : parseName(`${where}: limit`, nameOf(read.limit))
    if (limit !== null && !this.gates.some((ref) => ref.limit === limit)) {
      const passed = this.gates.map((ref) => ref.limit).join(", ") || "none"
      throw new SluiceError("unknown_limit", `${where}: expected a limit that the task passes (${passed}), got ${shown(limit)}`)
    }
    return { limit, cost: read.cost ?? null, blocking: read.blocking ?? blockingStatuses, onRefusal: read.onRefusal ?? "throw" }
  }

  private get name(): string {
    return this.host.name ?? `task ${this.host.task.type}`
  }

  private get gates(): readonly GateRef[] {
    return this.host.task.gates ?? []
  }

  /** Notes the answer; gives the error that says what it means for the run, if anything. */
  private hear(heard: Heard, { limit, blocking }: Request, sentAtMs: number, respondedAtMs: number): RateLimitError | null {
    const { status, quotas } = heard
    // A wait of no time was rounded down, or comes from a clock that is behind: heeded, it would be asked again at once, for ever.
    const retryAfterMs = heard.retryAfterMs || null
    const isOfPace = heard.isRefused && (heard.reason === "rate" || heard.reason === "concurrency")
    const isBlocked = !isOfPace && (heard.isRefused || blocking.includes(status))
    this.host.note({
      limit,
      kind: isOfPace ? "refused" : isBlocked || status >= 500 ? "told" : "served",
      reason: heard.reason === "concurrency" ? "concurrency" : "rate",
      retryAfterMs,
      quotas: quotas.map(({ name, limit: most, remaining, resetMs, windowMs }) => ({ name, limit: most, remaining, resetMs, windowMs })),
      random: this.host.world.random(),
      sentAtMs,
      respondedAtMs,
    })
    if (!isOfPace && !isBlocked) return null
    return new RateLimitError({
      message: `${isOfPace ? "rate limited" : "blocked"}: the other side answered ${status}`,
      status,
      ...(retryAfterMs === null ? {} : { retryAfter: `${Math.ceil(retryAfterMs)}ms` }),
      ...(limit === null ? {} : { limit }),
      ...(isOfPace ? {} : { scope: "task" as const }),
      // Whoever is overloaded will be so for a while; who forbids it three times means it.
      ...(isOfPace || heard.isRefused ? {} : { retries: blockedRetries }),
    })
  }
}
