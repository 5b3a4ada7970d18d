// The tasks of one lane and one priority, in order. Nearly all come in order, and stand in a list of sequence numbers; those that come
// otherwise, or come back, stand in a sorted set. One that leaves the list from its middle stays there until it is met: it counts
// only while its task is pending and says that it stands there.

import { texts, tonumber } from "./builtins.ts"
import { Live, Standing } from "./row.ts"
import { redis } from "./server.ts"
import type { Entry } from "./stored-task.ts"
import type { Tasks } from "./tasks.ts"
import type { Writes } from "./writes.ts"

/** Members of sorted sets that are sequence numbers have as many digits each, so that those of one score sort by them. */
export const firstMember = 1e15

export class WaitingLine {
  readonly priority: number
  /** How many in the list have left. */
  gone: number
  private readonly listKey: string
  private readonly sortedKey: string
  private readonly tasks: Tasks
  private readonly writes: Writes
  /** The list as far as it was read, from its beginning when the step first saw it. */
  private readonly list: number[] = []
  /** How many of these have left, and go off the list when the step ends. */
  private dropped = 0
  private isListRead = false
  private listAt = 0
  private sorted: number[] = []
  private isSortedRead = false
  private sortedAt = 0

  constructor(base: string, lane: number, priority: number, gone: number, tasks: Tasks, writes: Writes) {
    this.priority = priority
    this.gone = gone
    this.listKey = `${base}fifo:${lane}:${priority}`
    this.sortedKey = `${base}sorted:${lane}:${priority}`
    this.tasks = tasks
    this.writes = writes
  }

  /** The task that came last: none in the list comes after it. */
  append(seq: number): void {
    this.writes.append(this.listKey, seq)
    this.isListRead = false
  }

  insert(readyAtMs: number, seq: number): void {
    this.writes.addSorted(this.sortedKey, readyAtMs, firstMember + seq)
  }

  /** Of those that are sorted. One that leaves the list is only counted. */
  remove(seq: number): void {
    this.writes.removeSorted(this.sortedKey, firstMember + seq)
  }

  /** Reading begins anew, for somebody has come or left. */
  restart(): void {
    this.listAt = this.dropped
    this.sorted = []
    this.sortedAt = 0
    this.isSortedRead = false
  }

  /** Those at the beginning of the list that have left are taken off it. */
  dropGone(): void {
    let at = this.dropped
    while (this.reaches(at, 1) && !isThere(this.tasks.entryOfSeq(this.list[at] as number))) at++
    const count = at - this.dropped
    if (count === 0) return
    this.writes.trim(this.listKey, count)
    this.dropped = at
    this.gone -= count
    if (this.listAt < at) this.listAt = at
  }

  /** The next one, which stays the next until it is taken. `wanted`: how many are going to be asked for. */
  next(wanted: number): Entry | undefined {
    let inList: Entry | undefined
    while (inList === undefined && this.reaches(this.listAt, wanted)) {
      const entry = this.tasks.entryOfSeq(this.list[this.listAt] as number)
      if (isThere(entry)) inList = entry
      else this.listAt++
    }
    if (this.sortedAt >= this.sorted.length && !this.isSortedRead) this.readSorted(wanted)
    const seq = this.sorted[this.sortedAt]
    const inSorted = seq === undefined ? undefined : this.tasks.entryOfSeq(seq)
    if (inSorted === undefined) return inList
    return inList === undefined || isBefore(inSorted, inList) ? inSorted : inList
  }

  /** Adds what comes next until there are so many; answers whether there may be more. */
  readInto(read: Entry[], upTo: number): boolean {
    while (read.length < upTo) {
      const entry = this.next(upTo - read.length)
      if (entry === undefined) return false
      if (entry.live[Live.standing] === Standing.inOrder) this.listAt++
      else this.sortedAt++
      read.push(entry)
      if (this.isSortedRead && this.sortedAt >= this.sorted.length) this.readListInto(read, upTo)
    }
    return true
  }

  /** The same where nobody is sorted: as far as the list was read. */
  private readListInto(read: Entry[], upTo: number): void {
    const { list, tasks } = this
    let at = this.listAt
    let count = read.length
    while (count < upTo && at < list.length) {
      const entry = tasks.entryOfSeq(list[at] as number)
      if (entry !== undefined && isThere(entry)) {
        read[count] = entry
        count++
      }
      at++
    }
    this.listAt = at
  }

  count(): number {
    this.writes.settle(this.listKey)
    this.writes.settle(this.sortedKey)
    return (redis.call("LLEN", this.listKey) as number) - this.gone - this.dropped + (redis.call("ZCARD", this.sortedKey) as number)
  }

  /** How many stand before the task. */
  countBefore(entry: Entry): number {
    this.writes.settle(this.listKey)
    this.writes.settle(this.sortedKey)
    return this.countInList(entry) + this.countInSorted(entry)
  }

  private countInSorted(entry: Entry): number {
    const readyAtMs = readyAtOf(entry)
    let count = redis.call("ZCOUNT", this.sortedKey, "-inf", texts.format("(%.0f", readyAtMs)) as number
    const member = firstMember + (entry.live[Live.seq] as number)
    for (const tied of redis.call("ZRANGEBYSCORE", this.sortedKey, readyAtMs, readyAtMs) as string[]) {
      if (tonumber(tied) >= member) break
      count++
    }
    return count
  }

  /** By halves: the list is in order, whoever has left included. */
  private countInList(entry: Entry): number {
    let from = 0
    let to = redis.call("LLEN", this.listKey) as number
    while (from < to) {
      const middle = Math.floor((from + to) / 2)
      const seq = tonumber(redis.call("LINDEX", this.listKey, middle))
      this.tasks.readBySeq([seq])
      const other = this.tasks.entryOfSeq(seq)
      // One that is there no more has no time; by its number it came before the task or behind it.
      const isEarlier = other && isThere(other) ? isBefore(other, entry) : seq < (entry.live[Live.seq] as number)
      if (isEarlier) from = middle + 1
      else to = middle
    }
    return this.gone + this.dropped > 0 ? this.countThere(from) : from
  }

  /** Of so many in the list those that have not left, counted up to a bound. */
  private countThere(most: number): number {
    const seqs = (redis.call("LRANGE", this.listKey, 0, Math.min(most, countGoneUpTo) - 1) as string[]).map((seq) => tonumber(seq))
    if (most === 0) return 0
    this.tasks.readBySeq(seqs)
    let count = Math.max(0, most - countGoneUpTo)
    for (const seq of seqs) if (isThere(this.tasks.entryOfSeq(seq))) count++
    return count
  }

  /** Whether the list goes that far, which is read on where it is not known. */
  private reaches(at: number, wanted: number): boolean {
    if (at < this.list.length) return true
    if (this.isListRead) return false
    this.writes.settle(this.listKey)
    // One more than wanted: the one behind those that are taken will be the head.
    const from = this.list.length
    const found = redis.call("LRANGE", this.listKey, from, from + wanted) as string[]
    this.isListRead = found.length <= wanted
    const seqs: number[] = []
    for (const text of found) {
      const seq = tonumber(text)
      seqs.push(seq)
      this.list.push(seq)
    }
    this.tasks.readBySeq(seqs)
    return at < this.list.length
  }

  private readSorted(wanted: number): void {
    this.writes.settle(this.sortedKey)
    const from = this.sorted.length
    const found = redis.call("ZRANGE", this.sortedKey, from, from + wanted - 1) as string[]
    this.isSortedRead = found.length < wanted
    const seqs: number[] = []
    for (const text of found) {
      const seq = tonumber(text) - firstMember
      seqs.push(seq)
      this.sorted.push(seq)
    }
    if (seqs.length > 0) this.tasks.readBySeq(seqs)
  }
}

/** Beyond this, those in the list that have left are counted as if they had not. */
const countGoneUpTo = 1_000

function isThere(entry: Entry | undefined): boolean {
  return entry !== undefined && entry.live[Live.status] === 0 && entry.live[Live.standing] === Standing.inOrder
}

function readyAtOf({ live }: Entry): number {
  return (live[Live.createdAtMs] as number) + (live[Live.readyAtMs] as number)
}

function isBefore(a: Entry, b: Entry): boolean {
  const [mine, theirs] = [readyAtOf(a), readyAtOf(b)]
  return mine < theirs || (mine === theirs && (a.live[Live.seq] as number) < (b.live[Live.seq] as number))
}
