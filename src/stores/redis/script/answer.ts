// The answer of a step, as it goes over the wire: JSON in which a task is the number of its row, and the rows.

import type { TaskRecord } from "../../../task/index.ts"
import { addRow, isRecord } from "./row.ts"
import { encode } from "./server.ts"

export function answered(answer: unknown): string[] {
  const told = ["ok", ""]
  let rows = 0
  told[1] = encode(answer, (value) => {
    if (!isRecord(value)) return undefined
    addRow(told, value as TaskRecord)
    return `${rows++}`
  })
  return told
}
