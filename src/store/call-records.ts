// What a store keeps of calls, as one atomic step sees it. Part of the records, and synchronous like them. Who waits at a gate stands
// in line by sequence; of each line the store knows who is first, and when it is worth looking again.

export interface CallRecord {
  readonly id: string
  readonly ownerId: string
  readonly limit: string
  readonly key: string
  /** The store's own number of the gate; 0 where it was granted before there was one. */
  readonly gate: number
  readonly cost: number
  /** Charged, and takes no slot. */
  readonly isFurther: boolean
  /** Its place in line; 0 where it never stood in one. */
  readonly seq: number
  readonly leaseMs: number
  /** Null while it waits. */
  readonly grantedAtMs: number | null
  /** By how much later it was charged, as for a task; absent: it was not. */
  readonly lateMs?: number
  /** Without a sign of life from its owner it is over then, whether it waits or holds. */
  readonly untilMs: number
}

/** A line of calls at a gate: it is there while somebody waits. */
export interface CallLine {
  /** Whose call is first: who looks again when its time has come. */
  readonly ownerId: string
  readonly atMs: number
}

export interface CallRecords {
  /** Those that are there, by id. */
  load(ids: readonly string[]): ReadonlyMap<string, CallRecord>
  /** New, or changed. */
  save(call: CallRecord): void
  remove(ids: readonly string[]): void
  /** Both waiting and granted ones, all at once. */
  renew(ids: readonly string[], untilMs: number): void
  /** The first of those who wait. */
  firstAt(gate: number): CallRecord | null
  waitingAt(gate: number): { readonly calls: number; readonly cost: number }
  grantedSince(ownerId: string, sinceMs: number): readonly CallRecord[]
  /** Those whose time is over, the longest first. */
  ended(limit: number): readonly CallRecord[]

  setLine(gate: number, line: CallLine | null): void
  /** Gates where a call of this owner is first and the time has come. */
  dueLines(ownerId: string, limit: number): readonly number[]
  nextLineAtMs(ownerId: string): number | null

  /** The number of this owner's latest hold, 0 before its first. */
  holdNumber(ownerId: string): number
  saveOwner(ownerId: string, number: number): void
  forgetOwners(seenBeforeMs: number, limit: number): number

  /** A call of another owner was granted: whoever waits has to hear of it. */
  tellNews(): void
}
