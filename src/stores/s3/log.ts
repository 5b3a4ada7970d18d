// The log of one namespace as this process follows it: reads the next record and applies it, or learns that there is none; creates the next
// record. It knows since when the end is confirmed, and looks twice where that was long ago: a number that is free may have been removed.

import { SluiceError } from "../../errors/index.ts"
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

  constructor(options: LogOptions) {
    this.options = options
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
    this.sinceLine = { records: 0, bytes: 0 }
    // No later snapshot was there at that time: what is behind it stays for long from then on.
    this.confirmed = { dateMs, atMs: askedAtMs }
  }

  /** Reads the next record: "found", or "end" where there is none. */
  async look(): Promise<"found" | "end"> {
    const { objects, keys } = this.options
    const { replica } = this
    const number = replica.number + 1
    const key = keys.record(number)
    const reply = await objects.read(key)
    if (!(await this.isSound(number, reply))) return "found"
    if (reply.status === 404) {
      if (this.replica === replica && replica.number === number - 1) this.confirm(reply)
      return "end"
    }
    this.take(await this.unpack(key, number, reply.body))
    return "found"
  }

  /** Far behind: many are read at once, and applied in their order. */
  async catchUpFar(): Promise<void> {
    const { objects, keys } = this.options
    for (let count = 4; ; count = Math.min(mostAtOnce, count * 2)) {
      const from = this.replica.number + 1
      const numbers = Array.from({ length: count }, (_, i) => from + i)
      const replies = await Promise.all(numbers.map((number) => objects.read(keys.record(number))))
      const last = replies.at(-1)
      if (last && !(await this.isSound(from, last))) continue
      for (const [i, { status, body }] of replies.entries()) {
        if (status === 404) return this.catchUp()
        this.take(await this.unpack(keys.record(from + i), from + i, body))
      }
    }
  }

  /** Until there is no more. */
  async catchUp(): Promise<void> {
    while ((await this.look()) === "found");
  }

  async write(head: Omit<RecordHead, "layout">, lines: readonly string[]): Promise<Written> {
    const { objects, keys } = this.options
    const whole = { layout: layoutVersion, ...head }
    const created = await objects.create(keys.record(head.number), await packRecord(whole, lines))
    if (created.kind === "unknown") return { unknown: created.cause }
    if (created.kind !== "created") return created.kind
    const { sentAtMs, receivedAtMs } = created.reply
    this.tripMs = receivedAtMs - sentAtMs
    if (!(await this.isSound(head.number, created.reply))) return "exists"
    this.take(recordOf(whole, lines))
    if (this.replica.number === head.number) this.confirm(created.reply)
    return "created"
  }

  /** A read and a write may come to the same record: whoever is second has nothing to do. */
  private take(record: LogRecord): void {
    if (record.head.number !== this.replica.number + 1) return
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
      throw damaged(place, key, `expected a record of the log, got what cannot be read (${(error as Error).message})`)
    }
    const { layout, number: told } = record.head
    if (layout > layoutVersion) {
      throw new SluiceError(
        "schema_too_new",
        `${place}: expected records of layout ${layoutVersion} or older, got ${layout}: a newer Sluice writes here; upgrade this one`,
      )
    }
    if (told !== number) throw damaged(place, key, `expected record ${number}, got ${told}`)
    return record
  }
}
