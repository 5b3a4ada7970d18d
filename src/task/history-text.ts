// The history in words.

import { formatInstant, formatSeconds } from "../units/index.ts"
import type { HistoryEntry, NumberedEntry } from "./history.ts"

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
