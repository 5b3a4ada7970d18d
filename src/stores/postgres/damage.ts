// What stands in a row and cannot have been written: told by the name of its record, for a person to decide about. Rows are looked at
// where they are read, because a number that is merely wrong shows nowhere else: it only breaks a promise.

import { SluiceError, shown } from "../../errors/index.ts"

/** What was read cannot be what was written. */
export function damaged(record: string, expected: string, got: unknown): SluiceError {
  return new SluiceError("store_damaged", `${record}: expected ${expected}, got ${got === undefined ? "none" : shown(got)}`)
}

/** The number of a row that others refer to. One that is not exact would be another row's. */
export function rowNumber(value: unknown, table: string): number {
  if (typeof value === "number" && Number.isSafeInteger(value)) return value
  throw damaged(`a row of ${table}`, "a number in use", value)
}

/** JSON as it was stored; `is` says what it has to look like. */
export function sound<T>(value: unknown, is: (value: unknown) => value is T, expected: string, record: () => string): T {
  if (is(value)) return value
  throw damaged(record(), expected, JSON.stringify(value))
}
