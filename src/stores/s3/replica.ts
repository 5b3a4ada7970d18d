// The state machine: the records of the reference store, moved on by the log alone. Every process that applies the same records has the
// same state; nothing else may change it. What only looks may look at any time.

import { isSluiceError, SluiceError, shown } from "../../errors/index.ts"
import { type ClockState, clockStart, laterClock } from "../../store/clock.ts"
import type { Records } from "../../store/records.ts"
import * as steps from "../../store/steps.ts"
import { MemoryRecords } from "../memory/records.ts"
import type { LoggedRequest, LogRecord } from "./record.ts"

export type Applied = { readonly kind: "answer"; readonly answer: unknown } | { readonly kind: "failed"; readonly error: unknown }

export class Replica {
  readonly records = new MemoryRecords()
  /** Of the last record applied; 0 before the first. */
  number = 0
  /** The highest of all records so far. One of a lower layout behind it is of a process that cannot go on, and holds nothing. */
  layout = 0
  /** When that happened. */
  clock: ClockState = clockStart

  /** Tells of each request what came of it; answers whether those who wait have something to hear. */
  apply({ head, requests }: LogRecord, tell: (id: string, applied: Applied, waitedMs: number) => void): boolean {
    this.number = head.number
    this.clock = laterClock(this.clock, { lastMs: head.atMs, behindAtMs: head.behindAtMs ?? null })
    let hasNews = false
    const isOutdated = head.layout < this.layout
    this.layout = Math.max(this.layout, head.layout)
    // Whoever wrote it could not read what stands before it: he has told nobody that it was carried out.
    for (const request of isOutdated ? [] : requests) {
      tell(request.id, this.run(request, head.errorMs), request.waitedMs)
      const { records } = this
      hasNews ||= records.hasNews || records.limits.hasNews || records.schedules.hasNews || records.calls.hasNews
    }
    return hasNews
  }

  look<T>(nowMs: number, step: (records: MemoryRecords) => T): T {
    this.records.beginAt(nowMs)
    try {
      return step(this.records)
    } catch (error) {
      throw unreadable(error)
    }
  }

  /** A step that fails has changed nothing: the steps check before they write. */
  private run({ op, request }: LoggedRequest, errorMs: number): Applied {
    this.records.beginAt(this.clock.lastMs)
    this.records.clockErrorMs = errorMs
    try {
      const step = Object.hasOwn(steps.changing, op) ? steps.changing[op as keyof typeof steps.changing] : null
      if (!step)
        throw new SluiceError("schema_too_new", `expected a known operation, got "${op}": a newer Sluice has written it; upgrade this one`)
      const run = step as (records: Records, request: unknown) => unknown
      return { kind: "answer", answer: steps.change(this.records, (records) => run(records, request)) }
    } catch (error) {
      return { kind: "failed", error: unreadable(error) }
    }
  }
}

/** Steps refuse with errors of the table: whatever else ends one is something in the state that nobody has written so. */
function unreadable(error: unknown): unknown {
  if (isSluiceError(error)) return error
  const said = shown(error instanceof Error ? error.message : String(error))
  return new SluiceError("store_damaged", `s3: expected records that a step can read, got ${said}; see "sluice s3 log"`, { cause: error })
}
