// The id of a task, as people hand it over: any text may be one that is not there, anything else is a mistake.

import { SluiceError, shown } from "../errors/index.ts"
import { listOf } from "../units/index.ts"

export function parseTaskId(name: string, value: unknown): string {
  if (typeof value === "string") return value
  const { id } = (value ?? {}) as { id?: unknown }
  const hint = typeof id === "string" ? "; pass its id" : ""
  throw new SluiceError("invalid_option", `${name}: expected the id of a task, got ${shown(value)}${hint}`)
}

export const parseTaskIds = listOf(parseTaskId)
