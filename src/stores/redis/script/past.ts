// The history of a task as it is stored: packed entries one behind the other, so that a change appends some ten bytes. The first one is
// left out where it says no more than that the task was created.

import { type HistoryEntry, historyLimit, trimHistory } from "../../../task/index.ts"
import { storedEvents, storedStatuses } from "../layout.ts"
import { Live } from "./live.ts"
import { type Place, pack } from "./packing.ts"
import { cmsgpack } from "./server.ts"
import type { Entry, Packed } from "./stored-task.ts"

const codes: Record<string, number> = {}
for (let event = 0; event < storedEvents.length; event++)
  for (let status = 0; status < storedStatuses.length; status++)
    codes[`${storedEvents[event]} ${storedStatuses[status]}`] = event * 16 + status

/** False where nothing has to be stored. */
export function newPast(entries: readonly HistoryEntry[]): string | false {
  const [first] = entries
  if (!first) return false
  const isPlain = first.event === "created" && first.delayMs === undefined && first.expiresAtMs === undefined
  if (!isPlain) return packEntries(entries)
  return entries.length > 1 ? packEntries(entries.slice(1)) : false
}

/** With more entries behind it, and as long as a history may be. `version` is the one that it has then. */
export function longerPast(past: string | false, entries: readonly HistoryEntry[], version: number, createdAtMs: number): string | false {
  if (entries.length === 0) return past
  if (version > historyLimit) return newPast(trimHistory([...readPast(past, createdAtMs), ...entries]))
  return (past === false ? "" : past) + packEntries(entries)
}

export function packEntries(entries: readonly HistoryEntry[]): string {
  let text = ""
  for (const entry of entries) text += packEntry(entry)
  return text
}

function packEntry({ atMs, status, event, workerId, delayMs, count, expiresAtMs, reason, error }: HistoryEntry): string {
  const code = codes[`${event} ${status}`] as number
  return pack([
    code,
    atMs,
    workerId ?? false,
    delayMs ?? false,
    count ?? false,
    expiresAtMs ?? false,
    reason ?? false,
    error ?? false,
  ] as Packed)
}

export function readPast(past: string | false, createdAtMs: number): HistoryEntry[] {
  const entries: HistoryEntry[] = []
  let offset = past === false ? -1 : 0
  while (offset !== -1) {
    const [next, packed] = cmsgpack.unpack_one(past as string, offset)
    const entry = toEntry(packed as Packed)
    if (entries.length === 0 && entry.event !== "created") entries.push(created(createdAtMs))
    entries.push(entry)
    offset = next
  }
  return entries.length === 0 ? [created(createdAtMs)] : entries
}

function created(atMs: number): HistoryEntry {
  return { atMs, status: "pending", event: "created" }
}

function toEntry(packed: Packed): HistoryEntry {
  const [code, atMs, workerId, delayMs, count, expiresAtMs, reason, error] = packed as Place[]
  const status = (code as unknown as number) % 16
  const entry = {
    atMs,
    status: storedStatuses[status],
    event: storedEvents[((code as unknown as number) - status) / 16],
    workerId: workerId || undefined,
    delayMs: delayMs || undefined,
    count: count || undefined,
    expiresAtMs: expiresAtMs || undefined,
    reason: reason || undefined,
    error: error || undefined,
  }
  return entry as unknown as HistoryEntry
}

/** As it is stored with the task. */
export function pastOf({ live }: Entry): string | false {
  const past = live[Live.past]
  return typeof past === "string" ? past : false
}
