// In place of src/errors/error.ts: a value that is thrown, and told to the client with its code.

import type { ErrorCode } from "../../../../errors/table.ts"

export class SluiceError {
  readonly code: ErrorCode
  readonly message: string

  constructor(code: ErrorCode, message: string) {
    this.code = code
    this.message = message
  }
}

export function shown(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(value) : `${value}`
}
