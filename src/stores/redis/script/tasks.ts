// The tasks that a step has met, each read once and written once, when the step ends. By id, and by sequence number where an index knows
// no more than that.

import { shown } from "../../../errors/index.ts"
import type { TaskRecord } from "../../../task/index.ts"
import { orderSpan } from "../layout.ts"
import { attempt, texts, tonumber } from "./builtins.ts"
import { damaged } from "./context.ts"
import { Live } from "./live.ts"
import { pack } from "./packing.ts"
import { isLong, toFixed, toRecord } from "./row.ts"
import { cmsgpack, redis } from "./server.ts"
import { isSound } from "./sound-task.ts"
import { type Entry, type Packed, type StoredTask, storedTask } from "./stored-task.ts"
import { inPieces, type Writes } from "./writes.ts"

/** How many are asked for in one command. */
const piece = 2_000
/** From so many of one bucket on it is quicker to read all of it. */
const wholeBucketFrom = 32

export class Tasks {
  private readonly base: string
  private readonly key: string
  private readonly writes: Writes
  private readonly entries: Record<string, Entry | undefined> = {}
  private readonly idOfSeq: Record<number, string | false | undefined> = {}
  private changed: Entry[] = []
  /** The latest bucket that a task was added to: tasks of one batch come one after the other. */
  private addedTo = -1
  private addedToKey = ""

  constructor(base: string, writes: Writes) {
    this.base = base
    this.key = `${base}tasks`
    this.writes = writes
  }

  /** As it is known; whoever asks has had it read before. */
  entry(id: string): Entry | undefined {
    return this.entries[id]
  }

  /** Read where it is not known yet. */
  found(id: string): Entry | undefined {
    if (this.entries[id] === undefined) this.readPiece([id])
    return this.entries[id]
  }

  /** Reads those that are not known yet. */
  read(ids: readonly string[]): void {
    let asked: string[] = []
    for (const id of ids) {
      if (this.entries[id] !== undefined) continue
      asked.push(id)
      if (asked.length < piece) continue
      this.readPiece(asked)
      asked = []
    }
    if (asked.length > 0) this.readPiece(asked)
  }

  /** The records of those that are there, in the order asked for. */
  records(ids: readonly string[]): TaskRecord[] {
    this.read(ids)
    const found: TaskRecord[] = []
    for (const id of ids) {
      const entry = this.entries[id]
      if (entry !== undefined) found.push(recordOf(entry))
    }
    return found
  }

  /** For the sweep: a task that is damaged must not keep all others from being swept. Whoever asks for it is told. */
  soundRecords(ids: readonly string[]): TaskRecord[] {
    const sound: TaskRecord[] = []
    const [isRead] = attempt(readAll, this, ids)
    for (const id of ids) {
      const [isOne] = isRead ? [true] : attempt(readAll, this, [id])
      const entry = this.entries[id]
      if (isOne && entry !== undefined && isSound(entry)) sound.push(recordOf(entry))
    }
    return sound
  }

  /** The first of those that the step has met which cannot have been written so. */
  unsound(): string | null {
    // The order does not matter: one is as good as another.
    for (const entry of Object.values(this.entries as Record<string, Entry>)) if (!isSound(entry)) return entry.id
    return null
  }

  /** Reads which tasks have these numbers, and the tasks. */
  readBySeq(seqs: readonly number[]): void {
    this.readIds(seqs)
    const ids: string[] = []
    for (const seq of seqs) {
      const id = this.idOfSeq[seq]
      if (typeof id === "string") ids.push(id)
    }
    this.read(ids)
  }

  entryOfSeq(seq: number): Entry | undefined {
    const id = this.idOfSeq[seq]
    return id === undefined || id === false ? undefined : this.entries[id]
  }

  /** The ids of those that are there. */
  idsOf(seqs: readonly number[]): string[] {
    this.readIds(seqs)
    const ids: string[] = []
    for (const seq of seqs) {
      const id = this.idOfSeq[seq]
      if (typeof id === "string") ids.push(id)
    }
    return ids
  }

  add(task: TaskRecord, live: Packed): Entry {
    const isApart = isLong(task.input)
    if (isApart) this.writes.setField(`${this.base}inputs`, task.id, task.input)
    const fixed = toFixed(task, isApart ? true : task.input)
    const entry: Entry = { id: task.id, live, fixed, value: "", task, isChanged: true }
    const stored = task as StoredTask
    stored.entry = entry
    stored.isFixedRead = true
    storedTask(stored)
    this.entries[task.id] = entry
    this.idOfSeq[task.seq] = task.id
    this.changed.push(entry)
    const bucket = Math.floor(task.seq / orderSpan)
    if (bucket !== this.addedTo) {
      this.addedTo = bucket
      this.addedToKey = `${this.base}order:${bucket}`
      this.writes.addSorted(`${this.base}orders`, bucket, bucket)
    }
    this.writes.setField(this.addedToKey, task.seq % orderSpan, task.id)
    return entry
  }

  /** It is to be written; `task` is the record that says the same, where there is one. */
  change(entry: Entry, task: TaskRecord | undefined): void {
    entry.task = task
    entry.value = ""
    if (entry.isChanged) return
    entry.isChanged = true
    this.changed.push(entry)
  }

  remove(task: TaskRecord): void {
    const { id, seq } = task
    const bucket = Math.floor(seq / orderSpan)
    const order = `${this.base}order:${bucket}`
    const entry = this.entries[id]
    if (entry) entry.isChanged = false
    this.entries[id] = undefined
    this.idOfSeq[seq] = false
    this.writes.removeField(this.key, id)
    this.writes.removeField(`${this.base}inputs`, id)
    this.writes.removeField(`${this.base}outputs`, id)
    this.writes.removeField(order, seq % orderSpan)
  }

  /** Buckets that have nothing left are not gone through any more. */
  forgetBuckets(tasks: readonly TaskRecord[]): void {
    for (const { seq } of tasks) {
      const bucket = Math.floor(seq / orderSpan)
      const order = `${this.base}order:${bucket}`
      this.writes.settle(order)
      if (redis.call("EXISTS", order) === 0) this.writes.removeSorted(`${this.base}orders`, bucket)
    }
  }

  /** Buckets of sequence numbers, the highest first, from this one down. */
  buckets(from: number, limit: number): number[] {
    const key = `${this.base}orders`
    this.writes.settle(key)
    const found = redis.call("ZREVRANGEBYSCORE", key, from, "-inf", "LIMIT", 0, limit) as string[]
    return found.map((bucket) => tonumber(bucket))
  }

  /** The lowest first, from this one up. */
  bucketsFrom(from: number, limit: number): number[] {
    const key = `${this.base}orders`
    this.writes.settle(key)
    const found = redis.call("ZRANGEBYSCORE", key, from, "+inf", "LIMIT", 0, limit) as string[]
    return found.map((bucket) => tonumber(bucket))
  }

  /** The numbers of one bucket, the newest first. */
  seqsIn(bucket: number): number[] {
    const key = `${this.base}order:${bucket}`
    this.writes.settle(key)
    const found = redis.call("HGETALL", key) as string[]
    const seqs: number[] = []
    for (let i = 0; i + 1 < found.length; i += 2) {
      const seq = bucket * orderSpan + tonumber(found[i])
      this.idOfSeq[seq] = found[i + 1] as string
      seqs.push(seq)
    }
    return seqs.sort((a, b) => b - a)
  }

  /** Packs and writes what has changed. */
  end(): void {
    const values: string[] = []
    let at = 0
    for (const entry of this.changed) {
      if (!entry.isChanged) continue
      entry.isChanged = false
      entry.value = pack(entry.live) + entry.fixed
      values[at] = entry.id
      values[at + 1] = entry.value
      at += 2
    }
    this.changed = []
    if (values.length > 0) inPieces("HSET", this.key, values)
  }

  private readPiece(ids: readonly string[]): void {
    this.writes.settle(this.key)
    const values = redis.call("HMGET", this.key, ...ids) as (string | false)[]
    const [isSound] = attempt(unpackAll, this.entries, ids, values)
    if (isSound) return
    for (let i = 0; i < ids.length; i++) {
      const id = ids[i] as string
      const [isOne] = attempt(unpackAll, this.entries, [id], [values[i] as string | false])
      if (!isOne) throw damaged(`task ${shown(id)} (in ${this.key})`, "a packed task", undefined)
    }
  }

  private readIds(seqs: readonly number[]): void {
    const buckets: number[] = []
    const asked: Record<number, number[] | undefined> = {}
    for (const seq of seqs) {
      if (this.idOfSeq[seq] !== undefined) continue
      const bucket = Math.floor(seq / orderSpan)
      const known = asked[bucket]
      if (known !== undefined) known.push(seq % orderSpan)
      else {
        asked[bucket] = [seq % orderSpan]
        buckets.push(bucket)
      }
    }
    for (const bucket of buckets) this.readBucket(bucket, asked[bucket] as number[])
  }

  private readBucket(bucket: number, places: readonly number[]): void {
    const key = `${this.base}order:${bucket}`
    this.writes.settle(key)
    const first = bucket * orderSpan
    for (const place of places) this.idOfSeq[first + place] = false
    if (places.length < wholeBucketFrom) {
      const ids = redis.call("HMGET", key, ...places) as (string | false)[]
      for (let i = 0; i < places.length; i++) this.idOfSeq[first + (places[i] as number)] = ids[i]
      return
    }
    const all = redis.call("HGETALL", key) as string[]
    for (let i = 0; i + 1 < all.length; i += 2) this.idOfSeq[first + tonumber(all[i])] = all[i + 1] as string
  }
}

export function recordOf(entry: Entry): TaskRecord {
  const known = entry.task
  if (known !== undefined) return known
  const task = toRecord(entry)
  entry.task = task
  return task
}

function readAll(this: void, tasks: Tasks, ids: readonly string[]): void {
  tasks.read(ids)
}

function unpackAll(
  this: void,
  entries: Record<string, Entry | undefined>,
  ids: readonly string[],
  values: readonly (string | false)[],
): void {
  for (let i = 0; i < ids.length; i++) {
    const value = values[i]
    if (typeof value !== "string") continue
    const id = ids[i] as string
    const [next, live] = unpackLive(value)
    if (next < 0 || typeof live[Live.version] !== "number") throw damaged(id, "a packed task", undefined)
    entries[id] = { id, live, fixed: texts.sub(value, next + 1), value, task: undefined, isChanged: false }
  }
}

/** Its elements one by one, put into an array at once: the array that the server would make grows with each. */
function unpackLive(this: void, value: string): LuaMultiReturn<[number, Packed]> {
  const head = texts.byte(value, 1)
  if (head >= 0x90 && head <= 0x9f) return gathered(...cmsgpack.unpack_limit(value, head - 0x90, 1))
  if (head !== 0xdc) return $multi(-1, [])
  return gathered(...cmsgpack.unpack_limit(value, texts.byte(value, 2) * 256 + texts.byte(value, 3), 3))
}

function gather(this: void, next: number, ...live: Packed): LuaMultiReturn<[number, Packed]> {
  return $multi(next, live)
}

/** The type of what comes one by one is that of no list. */
const gathered = gather as unknown as (this: void, ...values: unknown[]) => LuaMultiReturn<[number, Packed]>
