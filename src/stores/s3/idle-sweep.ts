// A sweep that would find nothing needs no record: an idle worker sweeps for ever, and a write costs ten times a look.

import type { SweepAnswer, SweepRequest } from "../../store/contract.ts"
import { workerForgottenAfterMs } from "../../store/records.ts"
import type { MemoryRecords } from "../memory/records.ts"

export const sweptNothing: SweepAnswer = { rescued: 0, expired: 0, stopped: 0, removed: 0, forgotten: 0, more: false }

/** Asks for one of everything that a sweep looks for. */
export function findsNothing(records: MemoryRecords, { retentionMs }: SweepRequest): boolean {
  const { jobRecords, calls, limits, nowMs } = records
  const isEmpty = (found: readonly unknown[]) => found.length === 0
  if (!isEmpty(records.lostLeases(1)) || !isEmpty(records.overdue(1)) || !isEmpty(jobRecords.stopping(1))) return false
  if (!isEmpty(calls.ended(1)) || !isEmpty(limits.idleGates(1)) || records.hasForgettable()) return false
  if (calls.hasOwnersBefore(nowMs - workerForgottenAfterMs)) return false
  if (retentionMs === null) return true
  return isEmpty(records.finishedBefore(nowMs - retentionMs, 1)) && isEmpty(jobRecords.endedBefore(nowMs - retentionMs, 1))
}
