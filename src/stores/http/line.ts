// The way to the server: one POST for each operation, with a deadline; what it refuses is thrown as the error that it is, and what went
// wrong on the way as a store that does not answer. Knows the number of the server's news, which every answer tells.

import { type ErrorCode, errorTable, insecure, isSluiceError, SluiceError, shown } from "../../errors/index.ts"
import type { World } from "../../world/index.ts"
import type { Location } from "./location.ts"

export interface LineParts {
  readonly location: Location
  readonly namespace: string
  readonly world: World
  readonly token: string | null
}

export interface NewsSeen {
  readonly instance: string
  readonly count: number
}

export class Line {
  private readonly parts: LineParts
  private readonly headers: Readonly<Record<string, string>>
  private readonly closed = new AbortController()
  private seen: NewsSeen = { instance: "", count: 0 }

  constructor(parts: LineParts) {
    this.parts = parts
    this.headers = {
      "content-type": "application/json",
      "sluice-namespace": parts.namespace,
      ...(parts.token === null ? {} : { authorization: `Bearer ${parts.token}` }),
    }
  }

  /** The latest that any answer has told. */
  get news(): NewsSeen {
    return this.seen
  }

  /** `signal` ends it without an answer: null. */
  async ask(operation: string, request: unknown, patienceMs = this.parts.location.patienceMs, signal?: AbortSignal): Promise<unknown> {
    const { location, world } = this.parts
    if (this.closed.signal.aborted)
      throw new SluiceError("store_closed", `${location.place}: expected a connection that is open, this one was closed`)
    const deadline = new AbortController()
    const timer = world.timer(patienceMs, () => deadline.abort())
    try {
      const ends = [deadline.signal, this.closed.signal, ...(signal ? [signal] : [])]
      const response = await world.fetch(`${location.base}api/v1/store/${operation}`, {
        method: "POST",
        headers: this.headers,
        body: JSON.stringify(request),
        signal: AbortSignal.any(ends),
        redirect: "error",
      })
      this.hear(response.headers.get("sluice-news"))
      const text = await response.text()
      if (response.status === 200) return JSON.parse(text) as unknown
      throw this.refusal(response.status, text)
    } catch (error) {
      if (signal?.aborted) return null
      throw this.translated(error, deadline.signal.aborted)
    } finally {
      timer.cancel()
    }
  }

  close(): void {
    this.closed.abort()
  }

  /** Answers may overtake each other: the count of one server never goes back. */
  private hear(header: string | null): void {
    const [instance = "", count = ""] = (header ?? "").split(":")
    if (instance === "" || !/^\d{1,15}$/.test(count)) return
    if (instance !== this.seen.instance || Number(count) > this.seen.count) this.seen = { instance, count: Number(count) }
  }

  private refusal(status: number, text: string): SluiceError {
    const { place } = this.parts.location
    const { code, message } = errorIn(text)
    if (code !== null && (status === 401 || status === 403))
      return new SluiceError("store_denied", `${place}: ${message}; ${wayOut(message)}`)
    if (code !== null) return new SluiceError(code, message)
    // Nothing of Sluice has answered: a proxy, or another program.
    const retry = status >= 500 || status === 429 || status === 408
    return new SluiceError(
      retry ? "store_unavailable" : "not_a_database",
      `${place}: expected a Sluice server to answer, got status ${status}`,
    )
  }

  private translated(error: unknown, isLate: boolean): Error {
    const { place, patienceMs } = this.parts.location
    if (isSluiceError(error)) return error
    if (this.closed.signal.aborted) return new SluiceError("store_closed", `${place}: the connection was closed while it was asked`)
    const cause = error as Error & { cause?: { message?: string } }
    const unsafe = insecure(error, place)
    if (unsafe) return unsafe
    const why = isLate ? `no answer within ${patienceMs} ms` : `${cause.message}${cause.cause?.message ? `: ${cause.cause.message}` : ""}`
    return new SluiceError(
      "store_unavailable",
      `${place}: expected an answer, but ${isLate ? why : `the connection broke (${why})`}: whether it was carried out is not known. The same again does no harm`,
      { cause },
    )
  }
}

function errorIn(text: string): { readonly code: ErrorCode | null; readonly message: string } {
  try {
    const { error } = JSON.parse(text) as { error?: { code?: unknown; message?: unknown } }
    const isKnown = typeof error?.code === "string" && Object.hasOwn(errorTable, error.code)
    const message = typeof error?.message === "string" ? error.message : shown(text)
    if (error?.code === "internal") return { code: "store_unavailable", message }
    return { code: isKnown ? (error?.code as ErrorCode) : null, message }
  } catch {
    return { code: null, message: shown(text) }
  }
}

/** A server that serves one namespace refuses the others, whatever the token. */
function wayOut(message: string): string {
  return message.startsWith("Sluice-Namespace:") ? "name that one, or start it with --any-namespace" : "check SLUICE_TOKEN"
}
