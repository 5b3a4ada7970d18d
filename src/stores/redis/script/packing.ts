// Packed arrays: what stands at their places, and what is left out.

import { cmsgpack } from "./server.ts"
import type { Packed } from "./stored-task.ts"

/** What is false in Lua is nil or false, and neither 0 nor "": so a place can be asked whether there is something. */
export type Place = object | false

/** Whether what belongs there is kept elsewhere, or not known. */
export function isApart(value: unknown): boolean {
  return value === true
}

export function pack(values: Packed): string {
  return cmsgpack.pack(trimmed(values))
}

/** What is false at the end goes without saying. */
export function trimmed(values: Packed): Packed {
  let count = values.length
  while (count > 0 && values[count - 1] === false) {
    values.pop()
    count--
  }
  return values
}
