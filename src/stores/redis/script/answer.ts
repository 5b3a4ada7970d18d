// The answer of a step, as it goes over the wire: JSON in which a task is the number of its row, and the rows.

import type { TaskRecord } from "../../../task/index.ts"
import { isRecord, rowOf } from "./row.ts"
import { encode } from "./server.ts"

export function answered(answer: unknown): string[] {
  const told = ["ok", ""]
  let rows = 0
  told[1] = encode(answer, (value) => {
    if (!isRecord(value)) return undefined
    for (const part of rowOf(value as TaskRecord)) told.push(part)
    return `${rows++}`
  })
  return told
}
