// What a handler logs, as JSON can say it. People log errors, big numbers and whole objects of clients, and a line of a log ends neither a
// run nor a worker: nothing in here throws.

import { shown } from "../errors/index.ts"

const deepest = 20

/** Of fields that are none, an error beside the message above all, the value under a name. */
export function logFields(fields: unknown): Readonly<Record<string, unknown>> {
  if (fields === undefined || fields === null) return {}
  if (fields instanceof Error) return { error: loggable(fields, []) }
  const said = loggable(fields, [])
  return typeof said === "object" && said !== null && !Array.isArray(said) ? (said as Record<string, unknown>) : { value: said }
}

export function logText(message: unknown): string {
  if (typeof message === "string") return message
  const said = loggable(message, [])
  return typeof said === "string" ? said : (JSON.stringify(said) ?? "undefined")
}

function loggable(value: unknown, above: readonly object[]): unknown {
  try {
    return typeof value === "object" && value !== null ? ofObject(value, above) : ofScalar(value)
  } catch {
    // A getter or a proxy may do anything.
    return "something that cannot be read"
  }
}

function ofScalar(value: unknown): unknown {
  if (typeof value === "bigint") return String(value)
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value)
  return typeof value === "symbol" || typeof value === "function" ? shown(value) : value
}

function ofObject(value: object, above: readonly object[]): unknown {
  if (value instanceof Error) return String(value.message || value.name)
  if (value instanceof Date) return shown(value)
  if (above.includes(value)) return "what it is part of"
  if (above.length >= deepest) return shown(value)
  const within = [...above, value]
  if ("toJSON" in value && typeof value.toJSON === "function") return loggable(value.toJSON(), within)
  if (Array.isArray(value)) return value.map((item) => loggable(item ?? null, within))
  const said: [string, unknown][] = Object.keys(value).map((key) => [key, property(value, key, within)])
  return Object.fromEntries(said.filter(([, item]) => item !== undefined))
}

/** One that cannot be read leaves the others as they are. */
function property(value: object, key: string, above: readonly object[]): unknown {
  try {
    return loggable((value as Record<string, unknown>)[key], above)
  } catch {
    return "something that cannot be read"
  }
}
