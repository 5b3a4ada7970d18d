// Responses as clients give them: the platform's, Node's, undici's, axios', and the errors that axios and the SDKs of OpenAI and Anthropic throw. All have
// a status and headers somewhere; recognised by shape, because none of these clients is imported.

import type { HeadersLike } from "../quota/index.ts"

export interface ClientResponse {
  readonly status: number
  readonly headers: HeadersLike
  /** Parsed JSON, where the client has parsed it. */
  readonly body?: unknown
}

/** Null where there is none: a request that got no answer. */
export function responseIn(value: unknown): ClientResponse | null {
  return asResponse(value) ?? asResponse(field(value, "response"))
}

function asResponse(value: unknown): ClientResponse | null {
  const status = field(value, "status") ?? field(value, "statusCode")
  const headers = field(value, "headers")
  // 0 is what some clients have where no answer came.
  if (typeof status !== "number" || !Number.isInteger(status) || status < 100) return null
  if (typeof headers !== "object" || headers === null) return null
  // axios has it in `data`; `body` of the platform's is a stream, and `error` of the SDKs is the parsed body.
  const body = parsed(field(value, "data")) ?? parsed(field(value, "error")) ?? parsed(field(value, "body"))
  return { status, headers: headers as HeadersLike, ...(body === null ? {} : { body }) }
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined
}

function parsed(value: unknown): object | null {
  if (typeof value !== "object" || value === null) return null
  const prototype = Object.getPrototypeOf(value)
  return Array.isArray(value) || prototype === Object.prototype || prototype === null ? value : null
}
