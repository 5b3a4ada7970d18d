// What is declared and set: limits, the limits of a type, the change log, and how far forecasts were off. What a step writes is seen by
// itself, and written when it ends.

import { loggedChanges } from "../../../store/limit-records.ts"
import type { ChangesRequest, ForecastErrors, LoggedChange } from "../../../store/limits-contract.ts"
import type { LimitRecord } from "../../../store/policies.ts"
import { callWith, type Values } from "./batch.ts"
import type { Context } from "./context.ts"
import { bytesAfter, bytesBefore, firstBytes, toNumber } from "./lua.ts"
import { unpackAt, unpacked, unreadable } from "./packed.ts"
import { cmsgpack, redis } from "./server.ts"

/** How many lines of the change log are read at once. */
const logPiece = 100

export class RedisLimits {
  private readonly base: string
  private readonly saved: Record<string, LimitRecord> = {}
  private readonly savedNames: string[] = []
  private readonly types: Record<string, readonly string[]> = {}
  private readonly savedTypes: string[] = []
  private logged: Omit<LoggedChange, "number">[] = []
  /** Field and count, one after the other. */
  private errors: Values = []

  constructor({ base }: Context) {
    this.base = base
  }

  limit(name: string): LimitRecord | null {
    const own = this.saved[name]
    if (own !== undefined) return own
    const key = `${this.base}limits`
    const text = redis.call("HGET", key, name) as string | false
    return text === false ? null : unpacked<LimitRecord>(text, key, name)
  }

  limitNames(): string[] {
    const names = redis.call("HKEYS", `${this.base}limits`) as string[]
    for (const name of this.savedNames) if (!names.includes(name)) names.push(name)
    return names.sort()
  }

  saveLimit(limit: LimitRecord): void {
    if (this.saved[limit.name] === undefined) this.savedNames.push(limit.name)
    this.saved[limit.name] = limit
  }

  limitsOfType(type: string): readonly string[] | null {
    const own = this.types[type]
    if (own !== undefined) return own
    const key = `${this.base}types`
    const text = redis.call("HGET", key, type) as string | false
    return text === false ? null : unpacked<string[]>(text, key, type)
  }

  saveType(type: string, limits: readonly string[]): void {
    if (this.types[type] === undefined) this.savedTypes.push(type)
    this.types[type] = limits
  }

  logChange(change: Omit<LoggedChange, "number">): void {
    this.logged.push(change)
  }

  /** The log is a list, the newest first, and its numbers have no gaps: a number says where it stands. */
  changes({ limit, beforeNumber, count }: ChangesRequest): LoggedChange[] {
    this.writeLog()
    const key = `${this.base}changes`
    const found: LoggedChange[] = []
    let at = beforeNumber === null ? 0 : Math.max(0, this.lastNumber() - beforeNumber + 1)
    while (found.length < count) {
      const texts = redis.call("LRANGE", key, at, at + logPiece - 1) as string[]
      for (const text of texts) {
        if (found.length >= count) break
        const [isSound, offset, name] = unpackAt(text, 0)
        if (!isSound) throw unreadable(key, at, "a change", text)
        if (limit === null || name === limit) found.push(unpacked<LoggedChange>(bytesAfter(text, offset), key, at))
      }
      if (texts.length < logPiece) break
      at += logPiece
    }
    return found
  }

  addForecastErrors(type: string, byBucket: ReadonlyMap<number, number>): void {
    for (const [bucket, count] of byBucket) this.errors.push(`${bucket} ${type}`, count)
  }

  forecastErrors(): ForecastErrors {
    const pairs = redis.call("HGETALL", `${this.base}forecast-errors`) as string[]
    const rows: { type: string; bucket: number; count: number }[] = []
    for (let i = 0; i < pairs.length; i += 2) {
      const field = pairs[i] as string
      const before = bytesBefore(field, " ") ?? 0
      const bucket = toNumber(firstBytes(field, before))
      const count = toNumber(pairs[i + 1])
      if (bucket === null || count === null)
        throw unreadable(`${this.base}forecast-errors`, field, "how often a bucket was met", `${pairs[i + 1]}`)
      rows.push({ type: bytesAfter(field, before + 1), bucket, count })
    }
    rows.sort((a, b) => (a.type === b.type ? a.bucket - b.bucket : a.type < b.type ? -1 : 1))
    const types: { type: string; buckets: Record<string, number> }[] = []
    for (const { type, bucket, count } of rows) {
      let last = types[types.length - 1]
      if (last === undefined || last.type !== type) {
        last = { type, buckets: {} }
        types.push(last)
      }
      // Names, and no numbers: a table of numbers would be an array.
      last.buckets[`${bucket}`] = count
    }
    return { types }
  }

  end(): void {
    const limits: Values = []
    for (const name of this.savedNames) limits.push(name, cmsgpack.pack(this.saved[name]))
    callWith("HSET", `${this.base}limits`, limits)
    const types: Values = []
    for (const type of this.savedTypes) types.push(type, cmsgpack.pack(this.types[type]))
    callWith("HSET", `${this.base}types`, types)
    for (let i = 0; i < this.errors.length; i += 2)
      redis.call("HINCRBY", `${this.base}forecast-errors`, this.errors[i] as string, this.errors[i + 1] as number)
    this.errors = []
    this.writeLog()
  }

  private writeLog(): void {
    if (this.logged.length === 0) return
    const { logged } = this
    this.logged = []
    let number = this.lastNumber()
    const lines: Values = []
    for (const change of logged) lines.push(cmsgpack.pack(change.limit, { ...change, number: ++number }))
    callWith("LPUSH", `${this.base}changes`, lines)
    redis.call("LTRIM", `${this.base}changes`, 0, loggedChanges - 1)
  }

  /** The number of the newest line; 0 before the first. */
  private lastNumber(): number {
    const key = `${this.base}changes`
    const text = redis.call("LINDEX", key, 0) as string | false
    if (text === false) return 0
    const [isSound, offset] = unpackAt(text, 0)
    if (!isSound) throw unreadable(key, 0, "a change", text)
    return unpacked<LoggedChange>(bytesAfter(text, offset), key, 0).number
  }
}

/** A function, so that a step that does not need it does not load it. */
export function openLimits(context: Context): RedisLimits {
  return new RedisLimits(context)
}
