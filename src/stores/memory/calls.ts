// Calls outside the queue in memory: who waits where, who holds what, and until when.

import type { CallLine, CallRecord, CallRecords } from "../../store/call-records.ts"
import { picked } from "../../store/picked.ts"
import type { ImageLine, Restore } from "./image.ts"
import { SortedSet } from "./sorted.ts"

export class MemoryCalls implements CallRecords {
  /** Whether somebody who sleeps has to hear that a call was granted. */
  hasNews = false
  private nowMs = 0
  private readonly lines: Map<number, CallLine>
  private readonly byId = new Map<string, CallRecord>()
  private readonly waiting = new Map<number, SortedSet<CallRecord>>()
  private readonly ends = new SortedSet<CallRecord>((a, b) => a.untilMs - b.untilMs || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0))
  private readonly owners = new Map<string, { readonly number: number; readonly seenAtMs: number }>()

  /** The lines are kept beside the gates, which have to know where there is one. */
  constructor(lines: Map<number, CallLine>) {
    this.lines = lines
  }

  begin(nowMs: number): void {
    this.nowMs = nowMs
    this.hasNews = false
  }

  image(): ImageLine[] {
    return [
      ...[...this.byId.values()].map((call): ImageLine => ["call", call]),
      ...[...this.lines].map(([gate, line]): ImageLine => ["line", gate, line]),
      ...[...this.owners].map(([ownerId, owner]): ImageLine => ["owner", ownerId, owner]),
    ]
  }

  readonly restore: Restore = {
    call: (call: CallRecord) => this.save(call),
    line: (gate: number, line: CallLine) => void this.lines.set(gate, line),
    owner: (ownerId: string, owner: { number: number; seenAtMs: number }) => void this.owners.set(ownerId, owner),
  }

  load(ids: readonly string[]): Map<string, CallRecord> {
    return picked(ids, this.byId)
  }

  save(call: CallRecord): void {
    this.remove([call.id])
    this.byId.set(call.id, call)
    this.ends.add(call)
    if (call.grantedAtMs !== null) return
    const line = this.waiting.get(call.gate) ?? new SortedSet<CallRecord>((a, b) => a.seq - b.seq)
    this.waiting.set(call.gate, line)
    line.add(call)
  }

  remove(ids: readonly string[]): void {
    for (const call of this.load(ids).values()) {
      this.byId.delete(call.id)
      this.ends.delete(call)
      const line = this.waiting.get(call.gate)
      if (call.grantedAtMs === null) line?.delete(call)
      if (line?.size === 0) this.waiting.delete(call.gate)
    }
  }

  renew(ids: readonly string[], untilMs: number): void {
    for (const call of this.load(ids).values()) this.save({ ...call, untilMs })
  }

  firstAt(gate: number): CallRecord | null {
    return this.waiting.get(gate)?.first() ?? null
  }

  waitingAt(gate: number): { calls: number; cost: number } {
    const line = [...(this.waiting.get(gate)?.from() ?? [])]
    return { calls: line.length, cost: line.reduce((sum, { cost }) => sum + cost, 0) }
  }

  grantedSince(ownerId: string, sinceMs: number): CallRecord[] {
    const found = [...this.byId.values()].filter((call) => call.ownerId === ownerId && (call.grantedAtMs ?? -1) >= sinceMs)
    return found.sort((a, b) => (a.grantedAtMs ?? 0) - (b.grantedAtMs ?? 0) || (a.id < b.id ? -1 : 1))
  }

  ended(limit: number): CallRecord[] {
    return this.ends.takeWhile(({ untilMs }) => untilMs <= this.nowMs, limit)
  }

  setLine(gate: number, line: CallLine | null): void {
    if (line) this.lines.set(gate, line)
    else this.lines.delete(gate)
  }

  dueLines(ownerId: string, limit: number): number[] {
    const due = [...this.lines].filter(([, line]) => line.ownerId === ownerId && line.atMs <= this.nowMs)
    const sorted = due.sort(([a, first], [b, second]) => first.atMs - second.atMs || a - b)
    return sorted.slice(0, limit).map(([gate]) => gate)
  }

  nextLineAtMs(ownerId: string): number | null {
    const times = [...this.lines.values()].filter((line) => line.ownerId === ownerId).map(({ atMs }) => atMs)
    return times.length > 0 ? Math.min(...times) : null
  }

  holdNumber(ownerId: string): number {
    return this.owners.get(ownerId)?.number ?? 0
  }

  saveOwner(ownerId: string, number: number): void {
    this.owners.set(ownerId, { number, seenAtMs: this.nowMs })
  }

  forgetOwners(seenBeforeMs: number, limit: number): number {
    const old = [...this.owners].filter(([, { seenAtMs }]) => seenAtMs <= seenBeforeMs).slice(0, Math.max(0, limit))
    for (const [ownerId] of old) this.owners.delete(ownerId)
    return old.length
  }

  hasOwnersBefore(seenBeforeMs: number): boolean {
    return [...this.owners.values()].some(({ seenAtMs }) => seenAtMs <= seenBeforeMs)
  }

  tellNews(): void {
    this.hasNews = true
  }
}
