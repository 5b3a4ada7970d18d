// In place of src/errors/error.ts: a value that is thrown, and told to the client with its code.

import type { ErrorCode } from "../../../../errors/table.ts"
import { texts } from "../builtins.ts"

/** What is long is cut. */
const mostBytes = 60

export class SluiceError {
  readonly code: ErrorCode
  readonly message: string

  constructor(code: ErrorCode, message: string) {
    this.code = code
    this.message = message
  }
}

export function shown(value: unknown): string {
  if (typeof value === "object") return "a table"
  return typeof value === "string"
    ? JSON.stringify(texts.len(value) > mostBytes ? `${texts.sub(value, 1, mostBytes)}…` : value)
    : `${value}`
}
