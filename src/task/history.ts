// The history of a task: one entry for each version. Bounded: the first entry and the latest are kept, so that a task that
// is rescheduled for years stays small.

import { formatInstant, formatSeconds } from "../units/index.ts"
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

/** "Version 3: pending (rescheduled, available_at: +60s, count: 1)" */
export function describeEntry(entry: NumberedEntry): string {
  const notes = describeNotes(entry)
  return `Version ${entry.version}: ${entry.status}${notes.length > 0 ? ` (${notes.join(", ")})` : ""}`
}

function describeNotes(entry: HistoryEntry): string[] {
  const notes: string[] = []
  const after = entry.delayMs === undefined ? [] : [`available_at: +${formatSeconds(entry.delayMs)}`]
  const count = entry.count === undefined ? [] : [`count: ${entry.count}`]
  switch (entry.event) {
    case "completed":
      break
    case "expired":
      notes.push(`expired_at: ${formatInstant(entry.atMs)}`)
      break
    case "claimed":
      notes.push(`claimed by ${entry.workerId}`)
      break
    case "cancel_requested":
      notes.push("cancel requested")
      break
    default:
      if (entry.event !== entry.status) notes.push(entry.event, ...after, ...count)
  }
  if (entry.event === "created" && entry.expiresAtMs !== undefined) notes.push(`expires_at: ${formatInstant(entry.expiresAtMs)}`)
  if (entry.event === "rescheduled" && entry.expiresAtMs !== undefined) notes.push(`expires_at: ${formatInstant(entry.expiresAtMs)}`)
  if (entry.reason !== undefined) notes.push(`reason: ${entry.reason}`)
  if (entry.error !== undefined) notes.push(`error: ${entry.error}`)
  return notes
}
