// The one base of every error that Sluice throws. Recognised by a brand rather than by `instanceof`, because a module of
// tasks may have been loaded with its own copy of this package.

import { cut, plain } from "./plain.ts"
import { type ErrorCode, errorTable } from "./table.ts"

const brand = Symbol.for("sluice.error")

export class SluiceError extends Error {
  readonly code: ErrorCode
  readonly [brand] = true

  constructor(code: ErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options)
    this.name = new.target.name
    this.code = code
  }

  /** True where the same call may succeed later, unchanged. */
  get retryable(): boolean {
    return errorTable[this.code].retryable
  }
}

/** Also of errors that another copy of this package has made. */
export function isSluiceError(value: unknown): value is SluiceError {
  return typeof value === "object" && value !== null && (value as { [brand]?: unknown })[brand] === true
}

/** A short rendering of any value for a message, on one line: what is long is cut, what a terminal obeys is escaped, nothing throws. */
export function shown(value: unknown): string {
  if (typeof value === "string") return plain(JSON.stringify(cut(value, 60)))
  if (typeof value === "number" || typeof value === "boolean" || value === null || value === undefined) return String(value)
  if (typeof value === "bigint") return `${cut(String(value), 60)}n`
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "an invalid Date" : value.toISOString()
  if (Array.isArray(value)) return "an array"
  return typeof value === "object" ? "an object" : `a ${typeof value}`
}
