// The history of a task: one entry for each version. Bounded: the first entry and the latest are kept, so that a task that
// is rescheduled for years stays small.

import type { Status } from "./status.ts"

export type HistoryEvent =
  | "created"
  | "claimed"
  | "completed"
  | "retried"
  | "failed"
  | "rescheduled"
  | "throttled"
  | "released"
  | "lost"
  | "expired"
  | "cancel_requested"
  | "cancelled"
  | "requeued"
  | "archived"

export interface HistoryEntry {
  readonly atMs: number
  readonly status: Status
  readonly event: HistoryEvent
  readonly workerId?: string
  readonly delayMs?: number
  readonly count?: number
  readonly expiresAtMs?: number
  readonly reason?: string
  readonly error?: string
}

export interface NumberedEntry extends HistoryEntry {
  readonly version: number
}

export const historyLimit = 100

/** The first entry, and as many of the latest as fit. */
export function trimHistory(entries: readonly HistoryEntry[]): readonly HistoryEntry[] {
  const first = entries[0]
  return first && entries.length > historyLimit ? [first, ...entries.slice(entries.length - historyLimit + 1)] : entries
}

/** Entries are kept without numbers: the last one is the task's version, the first one is 1. */
export function numberHistory(entries: readonly HistoryEntry[], version: number): NumberedEntry[] {
  return entries.map((entry, i) => ({ ...entry, version: i === 0 ? 1 : version - (entries.length - 1 - i) }))
}
