// What stands in a row and cannot have been written: told by the name of its record, for a person to decide about.

import { SluiceError, shown } from "../../errors/index.ts"

/** What was read cannot be what was written. */
export function damaged(record: string, expected: string, got: unknown): SluiceError {
  return new SluiceError("store_damaged", `${record}: expected ${expected}, got ${got === undefined ? "none" : shown(got)}`)
}

/** A document as the database has read it; `is` says what it has to look like. */
export function checked<T>(value: unknown, is: (value: unknown) => value is T, expected: string, record: () => string): T {
  if (is(value)) return value
  throw damaged(record(), expected, JSON.stringify(value))
}
