// The tasks of one lane and one priority, in order. Nearly all come in order, and stand in a list of sequence numbers; those that come
// otherwise, or come back, stand in a sorted set. A short list is part of the lane's record, which is written anyway: most gates have a lane
// of their own, and few tasks in it. A long one has a key. One that leaves it from its middle stays there until it is met: it counts
// only while its task is pending and says that it stands there.

import { texts, tonumber } from "./builtins.ts"
import { Live, Standing } from "./live.ts"
import { redis } from "./server.ts"
import type { Entry } from "./stored-task.ts"
import type { Tasks } from "./tasks.ts"
import type { Writes } from "./writes.ts"

/** Members of sorted sets that are sequence numbers have as many digits each, so that those of one score sort by them. */
export const firstMember = 1e15

/** So many numbers are kept in the record of the lane. */
export const mostInside = 32

export class WaitingLine {
  readonly priority: number
  /** How many have left the list that has a key, and stand there still. */
  gone: number
  /** How many are sorted. */
  sortedCount: number
  /** Whether the list has a key of its own. */
  isApart: boolean
  private readonly base: string
  private readonly lane: number
  private readonly tasks: Tasks
  private readonly writes: Writes
  /** The list as far as it was read, from its beginning when the step first saw it; all of it where it is not apart. */
  private readonly list: number[]
  /** How many of these have left, and go off the list when the step ends. */
  private dropped = 0
  private isListRead: boolean
  /** How far their tasks were read. */
  private readTo = 0
  private listAt = 0
  private sorted: number[] | undefined
  private isSortedRead: boolean
  private sortedAt = 0

  /** `inside`: the list where it is short, else false. */
  constructor(
    base: string,
    lane: number,
    priority: number,
    gone: number,
    sortedCount: number,
    inside: number[] | false,
    tasks: Tasks,
    writes: Writes,
  ) {
    this.base = base
    this.lane = lane
    this.priority = priority
    this.gone = gone
    this.sortedCount = sortedCount
    this.isApart = inside === false
    this.list = inside === false ? [] : inside
    this.isListRead = !this.isApart
    this.isSortedRead = sortedCount === 0
    this.tasks = tasks
    this.writes = writes
  }

  /** As the record of the lane keeps it. */
  inside(): readonly number[] | false {
    return this.isApart ? false : this.list
  }

  /** The task that came last: none in the list comes after it. */
  append(seq: number): void {
    if (this.isApart) {
      this.writes.append(this.listKey(), seq)
      this.isListRead = false
      return
    }
    const { list } = this
    list.push(seq)
    if (list.length <= mostInside) return
    this.isApart = true
    for (const one of list) this.writes.append(this.listKey(), one)
  }

  insert(readyAtMs: number, seq: number): void {
    this.sortedCount++
    this.writes.addSorted(this.sortedKey(), readyAtMs, firstMember + seq)
  }

  /** Of those that came in order. From a list that has a key it is only counted. */
  leave(seq: number): void {
    if (this.isApart) {
      this.gone++
      return
    }
    const { list } = this
    if (list[0] === seq) list.shift()
    else {
      const at = list.indexOf(seq)
      if (at > 0) list.splice(at, 1)
    }
    if (this.readTo > 0) this.readTo--
  }

  /** Of those that are sorted. */
  remove(seq: number): void {
    this.sortedCount--
    this.writes.removeSorted(this.sortedKey(), firstMember + seq)
  }

  /** Reading begins anew, for somebody has come or left. */
  restart(): void {
    this.listAt = this.dropped
    this.sorted = undefined
    this.sortedAt = 0
    this.isSortedRead = this.sortedCount === 0
  }

  /** The first number of a list that is short: its task is going to be asked for. */
  first(): number | undefined {
    return this.isApart ? undefined : this.list[0]
  }

  /** Nobody stands here any more. */
  end(): void {
    if (this.isApart) this.writes.dropList(this.listKey())
  }

  /** Those at the beginning of the list that have left are taken off it. */
  dropGone(): void {
    if (this.gone === 0) return
    let at = this.dropped
    while (this.reaches(at, piece(1, at - this.dropped)) && !isThere(this.tasks.entryOfSeq(this.list[at] as number))) at++
    const count = at - this.dropped
    if (count === 0) return
    this.writes.trim(this.listKey(), count)
    this.dropped = at
    this.gone -= count
    if (this.listAt < at) this.listAt = at
  }

  /** The next one, which stays the next until it is taken. `wanted`: how many are going to be asked for. */
  next(wanted: number): Entry | undefined {
    let inList: Entry | undefined
    const from = this.listAt
    while (inList === undefined && this.reaches(this.listAt, piece(wanted, this.listAt - from))) {
      const entry = this.tasks.entryOfSeq(this.list[this.listAt] as number)
      if (isThere(entry)) inList = entry
      else this.listAt++
    }
    if (this.sortedCount === 0) return inList
    if (!this.isSortedRead && this.sortedAt >= (this.sorted?.length ?? 0)) this.readSorted(wanted)
    const seq = this.sorted?.[this.sortedAt]
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
      if (read.length < upTo && this.isSortedRead && this.sortedAt >= (this.sorted?.length ?? 0)) this.readListInto(read, upTo)
    }
    return true
  }

  /** The same where nobody is sorted: as far as the list was read. */
  private readListInto(read: Entry[], upTo: number): void {
    const { list, tasks } = this
    let at = this.listAt
    let count = read.length
    while (count < upTo && at < this.readTo) {
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
    if (!this.isApart) return this.list.length + this.sortedCount
    this.writes.settle(this.listKey())
    return (redis.call("LLEN", this.listKey()) as number) - this.gone - this.dropped + this.sortedCount
  }

  /** How many stand before the task. */
  countBefore(entry: Entry): number {
    return (this.isApart ? this.countInList(entry) : this.countInside(entry)) + this.countInSorted(entry)
  }

  private countInSorted(entry: Entry): number {
    if (this.sortedCount === 0) return 0
    const key = this.sortedKey()
    this.writes.settle(key)
    const readyAtMs = readyAtOf(entry)
    let count = redis.call("ZCOUNT", key, "-inf", texts.format("(%.0f", readyAtMs)) as number
    const member = firstMember + (entry.live[Live.seq] as number)
    for (const tied of redis.call("ZRANGEBYSCORE", key, readyAtMs, readyAtMs) as string[]) {
      if (tonumber(tied) >= member) break
      count++
    }
    return count
  }

  private countInside(entry: Entry): number {
    this.tasks.readBySeq(this.list)
    let count = 0
    for (const seq of this.list) {
      const other = this.tasks.entryOfSeq(seq)
      if (other && isThere(other) && isBefore(other, entry)) count++
    }
    return count
  }

  /** By halves: the list is in order, whoever has left included. */
  private countInList(entry: Entry): number {
    const key = this.listKey()
    this.writes.settle(key)
    let from = 0
    let to = redis.call("LLEN", key) as number
    while (from < to) {
      const middle = Math.floor((from + to) / 2)
      const seq = tonumber(redis.call("LINDEX", key, middle))
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
    const seqs = (redis.call("LRANGE", this.listKey(), 0, Math.min(most, countGoneUpTo) - 1) as string[]).map((seq) => tonumber(seq))
    if (most === 0) return 0
    this.tasks.readBySeq(seqs)
    let count = Math.max(0, most - countGoneUpTo)
    for (const seq of seqs) if (isThere(this.tasks.entryOfSeq(seq))) count++
    return count
  }

  /** Whether the list goes that far, which is read on where it is not known, with the tasks. */
  private reaches(at: number, wanted: number): boolean {
    if (at < this.readTo) return true
    const { list } = this
    if (at >= list.length && !this.isListRead) this.readList(wanted)
    const to = this.isApart ? list.length : Math.min(list.length, at + wanted)
    if (at >= to) return false
    this.readTo = to
    if (at + 1 === to && this.tasks.entryOfSeq(list[at] as number) !== undefined) return true
    const seqs: number[] = []
    for (let i = at; i < to; i++) seqs.push(list[i] as number)
    this.tasks.readBySeq(seqs)
    return true
  }

  private readList(wanted: number): void {
    const { list } = this
    const key = this.listKey()
    this.writes.settle(key)
    // One more than wanted: the one behind those that are taken will be the head.
    const from = list.length
    const found = redis.call("LRANGE", key, from, from + wanted) as string[]
    this.isListRead = found.length <= wanted
    for (const text of found) list.push(tonumber(text))
  }

  private readSorted(wanted: number): void {
    const key = this.sortedKey()
    this.writes.settle(key)
    const sorted = this.sorted ?? []
    this.sorted = sorted
    const from = sorted.length
    const found = redis.call("ZRANGE", key, from, from + wanted - 1) as string[]
    this.isSortedRead = found.length < wanted
    const seqs: number[] = []
    for (const text of found) {
      const seq = tonumber(text) - firstMember
      seqs.push(seq)
      sorted.push(seq)
    }
    if (seqs.length > 0) this.tasks.readBySeq(seqs)
  }

  private listKey(): string {
    return `${this.base}fifo:${this.lane}:${this.priority}`
  }

  private sortedKey(): string {
    return `${this.base}sorted:${this.lane}:${this.priority}`
  }
}

/** Who has left was mostly cancelled with others: the more of them were met, the more are read at once. */
function piece(wanted: number, met: number): number {
  return Math.max(wanted, Math.min(met, mostAtOnce))
}

const mostAtOnce = 500

/** Beyond this, those in the list that have left are counted as if they had not. */
const countGoneUpTo = 1_000

/** Pending, and in the list. */
export function isThere(entry: Entry | undefined): boolean {
  return entry !== undefined && entry.live[Live.status] === 0 && entry.live[Live.standing] === Standing.inOrder
}

function readyAtOf({ live }: Entry): number {
  return (live[Live.createdAtMs] as number) + (live[Live.readyAtMs] as number)
}

function isBefore(a: Entry, b: Entry): boolean {
  const [mine, theirs] = [readyAtOf(a), readyAtOf(b)]
  return mine < theirs || (mine === theirs && (a.live[Live.seq] as number) < (b.live[Live.seq] as number))
}
