// The log of one namespace as this process follows it: reads the next record and applies it, or learns that there is none; creates the next
// record. It knows since when the end is confirmed, and looks twice where that was long ago: a number that is free may have been removed.

import { SluiceError, shown } from "../../errors/index.ts"
import type { Reply } from "./client.ts"
import { damaged } from "./errors.ts"
import { guardOf, type Keys } from "./layout.ts"
import type { Objects } from "./objects.ts"
import { type LogRecord, layoutVersion, packRecord, type RecordHead, recordOf, unpackRecord } from "./record.ts"
import { type Applied, Replica } from "./replica.ts"
import { loadSnapshot } from "./snapshot.ts"

export interface LogOptions {
  readonly objects: Objects
  readonly keys: Keys
  /** How long records stay, once a snapshot has taken their place. */
  readonly recordsKeptMs: number
  /** Told of every record that was applied. */
  readonly applied: (record: LogRecord, hasNews: boolean) => void
  /** Told of every request in it. */
  readonly answered: (id: string, applied: Applied, waitedMs: number) => void
  /** This process was asleep for too long: nobody knows what became of what it wrote. */
  readonly lost: (error: SluiceError) => void
}

interface Confirmation {
  readonly dateMs: number
  readonly atMs: number
}

const mostAtOnce = 64
/** One request that took long says little of the next: what is reckoned with grows by this at most. */
const slowerAtOnce = 1.5

export type Written = "created" | "exists" | "busy" | { readonly unknown: unknown }

export class Log {
  replica = new Replica()
  /** How long a create took lately, from sending to answer. */
  tripMs = 0
  /** Since the last record behind which somebody was to write a snapshot. */
  sinceLine = { records: 0, bytes: 0 }
  /** How many records this process has applied, and when the first of them was written. */
  seen: { readonly fromMs: number; readonly records: number } | null = null
  private readonly options: LogOptions
  private confirmed: Confirmation = { dateMs: 0, atMs: 0 }
  /** Records that are known, but wait for one before them. */
  private readonly ahead = new Map<number, LogRecord>()
  /** A newer version goes on from here: this one neither reads nor writes any more. */
  private outdated: SluiceError | null = null
  /** How many are read at once: more while there are more. */
  private stride = 1

  constructor(options: LogOptions) {
    this.options = options
  }

  /** What decides at which number to write. */
  get pace(): { readonly tripMs: number; readonly hasLimits: boolean } {
    return { tripMs: this.tripMs, hasLimits: this.replica.records.limits.hasLimits }
  }

  /** What was written until now is of an older version. */
  get isOfOlderLayout(): boolean {
    const { number, layout } = this.replica
    return number > 0 && layout < layoutVersion
  }

  /** From the newest snapshot on; the records behind it are still to be read. */
  async open(): Promise<void> {
    const { objects, keys } = this.options
    const { dateMs, askedAtMs, replica } = await loadSnapshot(objects, keys)
    const number = replica?.number ?? 0
    if (number < this.replica.number) {
      throw new SluiceError(
        "data_lost",
        `${objects.place}: expected record ${this.replica.number} or what came of it, found nothing behind ${number}: somebody has removed objects. Restore them, or connect again to go on from there`,
      )
    }
    this.replica = replica ?? new Replica()
    this.ahead.clear()
    this.sinceLine = { records: 0, bytes: 0 }
    // No later snapshot was there at that time: what is behind it stays for long from then on.
    this.confirmed = { dateMs, atMs: askedAtMs }
  }

  /** Reads on: "found", or "end" where the next record is missing. Those up to a number are read at once. */
  async look(upTo = 0): Promise<"found" | "end"> {
    const { objects, keys } = this.options
    if (this.outdated) throw this.outdated
    const { replica, stride } = this
    const from = replica.number + 1
    const count = Math.min(mostAtOnce, Math.max(stride, upTo - from + 1))
    const numbers = Array.from({ length: count }, (_, i) => from + i).filter((number) => !this.ahead.has(number))
    const read = async (number: number) => ({ number, reply: await objects.read(keys.record(number)) })
    const replies = await Promise.all(numbers.map(read))
    const latest = replies.reduce<Reply | null>((last, { reply }) => (last && last.receivedAtMs >= reply.receivedAtMs ? last : reply), null)
    if (latest && !(await this.isSound(from, latest))) return "found"
    for (const { number, reply } of replies)
      if (reply.status !== 404) this.keep(replica, await this.unpack(keys.record(number), number, reply.body))
    this.takeAll()
    const missing = replies.find(({ reply }) => reply.status === 404)
    // By what this look has found: two at the same time are no reason to read four times as many.
    this.stride = missing ? 1 : Math.min(mostAtOnce, stride * 2)
    if (!missing || this.replica !== replica || replica.number !== missing.number - 1) return "found"
    // Nobody had gone beyond it then.
    this.confirm(missing.reply)
    return "end"
  }

  /** Far behind: many at once from the beginning. */
  async catchUpFar(): Promise<void> {
    this.stride = 4
    await this.catchUp()
  }

  /** Until there is no more. */
  async catchUp(): Promise<void> {
    while ((await this.look()) === "found");
  }

  /** Creates a record, at the next number or further on. It is applied when all before it are. */
  async write(head: Omit<RecordHead, "layout">, lines: readonly string[]): Promise<Written> {
    const { objects, keys } = this.options
    if (this.outdated) throw this.outdated
    const whole = { layout: layoutVersion, ...head }
    const created = await objects.create(keys.record(head.number), await packRecord(whole, lines))
    if (created.kind === "unknown") return { unknown: created.cause }
    if (created.kind !== "created") return created.kind
    const { sentAtMs, receivedAtMs } = created.reply
    const tookMs = receivedAtMs - sentAtMs
    this.tripMs = this.tripMs === 0 ? tookMs : Math.min(tookMs, this.tripMs * slowerAtOnce)
    // Whoever was far behind has caught up: numbers much further on are empty.
    this.stride = 1
    if (!(await this.isSound(head.number, created.reply))) return "exists"
    this.keep(this.replica, recordOf(whole, lines))
    this.takeAll()
    // Nobody had gone beyond it before.
    if (this.replica.number === head.number) this.confirm(created.reply)
    return "created"
  }

  /** A read and a write may come to the same record: whoever is second has nothing to do. */
  private keep(replica: Replica, record: LogRecord): void {
    if (this.replica === replica && record.head.number > replica.number) this.ahead.set(record.head.number, record)
  }

  private takeAll(): void {
    for (let next = this.ahead.get(this.replica.number + 1); next; next = this.ahead.get(this.replica.number + 1)) {
      this.ahead.delete(next.head.number)
      this.take(next)
    }
  }

  private take(record: LogRecord): void {
    const { answered, applied } = this.options
    this.seen = { fromMs: this.seen?.fromMs ?? record.head.atMs, records: (this.seen?.records ?? 0) + 1 }
    this.sinceLine = { records: this.sinceLine.records + 1, bytes: this.sinceLine.bytes + record.bytes }
    applied(record, this.replica.apply(record, answered))
  }

  private confirm({ dateMs, sentAtMs }: Reply): void {
    this.confirmed = { dateMs: dateMs ?? this.confirmed.dateMs, atMs: sentAtMs }
  }

  /** Whether the answer about this number can be believed. Where it cannot, the state is that of the newest snapshot afterwards. */
  private async isSound(number: number, { dateMs, receivedAtMs }: Reply): Promise<boolean> {
    const { objects, keys, lost, recordsKeptMs } = this.options
    const { confirmed, replica } = this
    // Half of what removal waits for: the other half is for clocks that differ.
    const confirmedForMs = recordsKeptMs / 2
    const isRecent = (dateMs ?? 0) - confirmed.dateMs <= confirmedForMs && receivedAtMs - confirmed.atMs <= confirmedForMs
    if (isRecent) return true
    const guard = guardOf(number)
    const isThere = guard === 0 ? (await objects.list(keys.snapshots)).objects.length === 0 : await objects.exists(keys.record(guard))
    if (isThere) return true
    // Somebody else may have begun anew meanwhile.
    if (this.replica === replica) await this.open()
    lost(
      new SluiceError(
        "store_unavailable",
        `${objects.place}: expected record ${number} to be the next, but others have passed it while this process was asleep: whether its last writes were carried out is not known. The same again does no harm`,
      ),
    )
    return false
  }

  private async unpack(key: string, number: number, body: Uint8Array): Promise<LogRecord> {
    const { place } = this.options.objects
    let record: LogRecord
    try {
      record = await unpackRecord(body)
    } catch (error) {
      throw damaged(place, key, `expected a record of the log, got what cannot be read (${shown((error as Error).message)})`)
    }
    const { layout, number: told } = record.head
    if (layout > layoutVersion) {
      this.outdated = new SluiceError(
        "schema_too_new",
        `${place}: expected records of layout ${layoutVersion} or older, got ${layout}: a newer Sluice writes here; upgrade this one`,
      )
      throw this.outdated
    }
    if (told !== number) throw damaged(place, key, `expected record ${number}, got ${told}`)
    return record
  }
}
