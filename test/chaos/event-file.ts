// The record of one process: a file that only grows, one line for each event, each written before the process goes on. A kill
// can tear the last line and nothing else.

import { openSync, writeSync } from "node:fs"
import { historyLog, type WriteFact } from "../../src/testing/recorded-store.ts"

export function eventFile(path: string, proc: string): WriteFact {
  const file = openSync(path, "a", 0o600)
  return historyLog(
    proc,
    () => Date.now(),
    (event) => writeSync(file, `${JSON.stringify(event)}\n`),
  )
}
