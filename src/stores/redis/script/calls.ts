// Calls outside the queue in Redis: who waits where, who holds what, and until when. A step that changes calls asks at once who is first
// now, so each change is written as it comes.

import type { CallLine, CallRecord, CallRecords } from "../../../store/call-records.ts"
import { askWith, callWith, type Values } from "./batch.ts"
import type { Context } from "./context.ts"
import type { RedisGates } from "./gates.ts"
import { toNumber } from "./lua.ts"
import { unpacked, unpackedIfSound } from "./packed.ts"
import { cmsgpack, redis } from "./server.ts"

export class RedisCalls implements CallRecords {
  /** Whether somebody who sleeps has to hear that a call was granted. */
  hasNews = false
  private readonly base: string
  private readonly nowMs: number
  private readonly gates: RedisGates
  /** As this step has read or written them; false: there is none. */
  private readonly known: Record<string, CallRecord | false> = {}

  constructor({ base, nowMs }: Context, gates: RedisGates) {
    this.base = base
    this.nowMs = nowMs
    this.gates = gates
  }

  load(ids: readonly string[]): ReadonlyMap<string, CallRecord> {
    this.read(ids)
    const found = new Map<string, CallRecord>()
    for (const id of ids) {
      const call = this.known[id]
      if (call !== undefined && call !== false) found.set(id, call)
    }
    return found
  }

  save(call: CallRecord): void {
    const { base } = this
    const before = this.find(call.id)
    if (before !== null) this.leave(before, call)
    this.known[call.id] = call
    redis.call("HSET", `${base}calls`, call.id, cmsgpack.pack(call))
    redis.call("ZADD", `${base}calls-ends`, call.untilMs, call.id)
    if (call.grantedAtMs !== null) {
      redis.call("ZADD", `${base}granted:${call.ownerId}`, call.grantedAtMs, call.id)
    } else if (before === null || !isSamePlace(before, call)) {
      redis.call("ZADD", `${base}line:${call.gate}`, call.seq, call.id)
      redis.call("HINCRBY", `${base}line-costs`, call.gate, call.cost)
    }
  }

  remove(ids: readonly string[]): void {
    this.read(ids)
    const gone: Values = []
    for (const id of ids) {
      const call = this.known[id]
      if (call === undefined || call === false) continue
      this.leave(call, null)
      this.known[id] = false
      gone.push(id)
    }
    callWith("HDEL", `${this.base}calls`, gone)
    callWith("ZREM", `${this.base}calls-ends`, gone)
  }

  renew(ids: readonly string[], untilMs: number): void {
    this.read(ids)
    const records: Values = []
    const ends: Values = []
    for (const id of ids) {
      const call = this.known[id]
      if (call === undefined || call === false) continue
      const renewed = { ...call, untilMs }
      this.known[id] = renewed
      records.push(id, cmsgpack.pack(renewed))
      ends.push(untilMs, id)
    }
    callWith("HSET", `${this.base}calls`, records)
    callWith("ZADD", `${this.base}calls-ends`, ends)
  }

  firstAt(gate: number): CallRecord | null {
    const [id] = redis.call("ZRANGE", `${this.base}line:${gate}`, 0, 0) as string[]
    return id === undefined ? null : this.find(id)
  }

  waitingAt(gate: number): { readonly calls: number; readonly cost: number } {
    const calls = redis.call("ZCARD", `${this.base}line:${gate}`) as number
    return { calls, cost: calls === 0 ? 0 : (toNumber(redis.call("HGET", `${this.base}line-costs`, gate)) ?? 0) }
  }

  grantedSince(ownerId: string, sinceMs: number): readonly CallRecord[] {
    return this.all(redis.call("ZRANGEBYSCORE", `${this.base}granted:${ownerId}`, sinceMs, "+inf") as string[])
  }

  /** One that is damaged stays, and must not keep all others from being dropped. */
  ended(limit: number): readonly CallRecord[] {
    if (limit <= 0) return []
    const ids = redis.call("ZRANGEBYSCORE", `${this.base}calls-ends`, "-inf", this.nowMs, "LIMIT", 0, limit) as string[]
    const texts = askWith("HMGET", `${this.base}calls`, ids)
    const found: CallRecord[] = []
    for (const text of texts) {
      const call = text === false ? null : unpackedIfSound<CallRecord>(text)
      if (call !== null) found.push(call)
    }
    return found
  }

  setLine(gate: number, line: CallLine | null): void {
    this.gates.lines().set(gate, line)
    this.gates.setLine(gate, line !== null)
  }

  dueLines(ownerId: string, limit: number): readonly number[] {
    return this.gates.lines().due(ownerId, limit)
  }

  nextLineAtMs(ownerId: string): number | null {
    return this.gates.lines().nextAtMs(ownerId)
  }

  holdNumber(ownerId: string): number {
    return toNumber(redis.call("HGET", `${this.base}call-owners`, ownerId)) ?? 0
  }

  saveOwner(ownerId: string, number: number): void {
    redis.call("HSET", `${this.base}call-owners`, ownerId, number)
    redis.call("ZADD", `${this.base}call-owners-seen`, this.nowMs, ownerId)
  }

  forgetOwners(seenBeforeMs: number, limit: number): number {
    if (limit <= 0) return 0
    const old = redis.call("ZRANGEBYSCORE", `${this.base}call-owners-seen`, "-inf", seenBeforeMs, "LIMIT", 0, limit) as string[]
    callWith("HDEL", `${this.base}call-owners`, old)
    callWith("ZREM", `${this.base}call-owners-seen`, old)
    return old.length
  }

  tellNews(): void {
    this.hasNews = true
  }

  private find(id: string): CallRecord | null {
    this.read([id])
    const call = this.known[id]
    return call === undefined || call === false ? null : call
  }

  private all(ids: readonly string[]): CallRecord[] {
    this.read(ids)
    const found: CallRecord[] = []
    for (const id of ids) {
      const call = this.known[id]
      if (call !== undefined && call !== false) found.push(call)
    }
    return found
  }

  private read(ids: readonly string[]): void {
    const missing = ids.filter((id) => this.known[id] === undefined)
    if (missing.length === 0) return
    const key = `${this.base}calls`
    const texts = askWith("HMGET", key, missing)
    for (let i = 0; i < missing.length; i++) {
      const id = missing[i] as string
      const text = texts[i] as string | false
      this.known[id] = text === false ? false : unpacked<CallRecord>(text, key, id)
    }
  }

  /** Where it stood, unless it stands there still. */
  private leave(call: CallRecord, next: CallRecord | null): void {
    const { base } = this
    if (next !== null && isSamePlace(call, next)) return
    if (call.grantedAtMs !== null) {
      redis.call("ZREM", `${base}granted:${call.ownerId}`, call.id)
      return
    }
    const line = `${base}line:${call.gate}`
    redis.call("ZREM", line, call.id)
    if (redis.call("EXISTS", line) === 0) redis.call("HDEL", `${base}line-costs`, call.gate)
    else redis.call("HINCRBY", `${base}line-costs`, call.gate, -call.cost)
  }
}

function isSamePlace(a: CallRecord, b: CallRecord): boolean {
  if (a.grantedAtMs !== null || b.grantedAtMs !== null) return a.grantedAtMs !== null && b.grantedAtMs !== null && a.ownerId === b.ownerId
  return a.gate === b.gate && a.seq === b.seq && a.cost === b.cost
}

/** A function, so that a step that does not need it does not load it. */
export function openCalls(context: Context, gates: RedisGates): RedisCalls {
  return new RedisCalls(context, gates)
}
