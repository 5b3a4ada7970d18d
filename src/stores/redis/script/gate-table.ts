// The gates as one step has them: each read once, by its name, changed in memory, and all written together.
//
// `gates-idle` has every gate that nobody waits at. Its score is never later than the time of the last writing, and mostly earlier, so that
// writing a gate does not move it each time; whoever looks for idle ones puts right what he meets.

import { shown } from "../../../errors/index.ts"
import type { GateState } from "../../../limits/index.ts"
import { type GateKey, gateForgottenAfterMs } from "../../../store/limit-records.ts"
import { gateName } from "../../../task/index.ts"
import { askWith, callWith, type Values } from "./batch.ts"
import { type Context, damaged } from "./context.ts"
import { settleDemand } from "./demand.ts"
import { isIdle, type Kept, newGate, packGate, unpackGate } from "./kept-gate.ts"
import { bytesAfter, bytesBefore, firstBytes, fromSortable, sortable } from "./lua.ts"
import { unreadable } from "./packed.ts"
import { redis } from "./server.ts"

/** So long a gate is written without being moved among the idle ones. */
const idleLagMs = gateForgottenAfterMs / 2
/** How many are looked at together to find idle ones, and how many at most. */
const idlePiece = 64
const mostLooks = 2_000

export class GateTable {
  private readonly context: Context
  private readonly base: string
  /** False: it is known that there is none. */
  private readonly byName: Record<string, Kept | false> = {}
  private readonly byNumber: Record<number, Kept> = {}
  /** Read ahead, by name. */
  private readonly texts: Record<string, string | false> = {}
  private readonly names: Record<number, string> = {}
  private changed: Kept[] = []
  private removed: Kept[] = []

  constructor(context: Context) {
    this.context = context
    this.base = context.base
  }

  /** `name`: that of the gate, where whoever asks has made it. */
  find(gate: GateKey, name = gateName(gate)): Kept | null {
    const known = this.byName[name]
    if (known !== undefined) return known === false ? null : known
    const ahead = this.texts[name]
    const text = ahead === undefined ? (redis.call("HGET", `${this.base}gates`, name) as string | false) : ahead
    return this.know(name, gate.limit, gate.key, text)
  }

  numbered(number: number): Kept | null {
    const known = this.byNumber[number]
    if (known !== undefined) return known
    const name = this.names[number] ?? (redis.call("HGET", `${this.base}gate-names`, number) as string | false)
    const kept = name === false ? null : this.named(name)
    // Under two numbers it would be looked for where nobody is.
    if (kept !== null && kept.number !== number)
      throw damaged(`gate ${shown(kept.name)} (in ${this.base}gates)`, `number ${number}`, kept.number)
    return kept
  }

  /** Reads in one go what will be asked for by name. */
  readAhead(names: readonly string[]): void {
    const { byName, texts } = this
    const missing: string[] = []
    for (const name of names) {
      if (byName[name] !== undefined || texts[name] !== undefined) continue
      // Until it is read: named twice, it is read once.
      texts[name] = false
      missing.push(name)
    }
    const found = askWith("HMGET", `${this.base}gates`, missing)
    for (let i = 0; i < missing.length; i++) texts[missing[i] as string] = found[i] as string | false
  }

  readAheadNumbered(numbers: readonly number[]): void {
    const missing = numbers.filter((number) => this.byNumber[number] === undefined)
    if (missing.length < 2) return
    const found = askWith("HMGET", `${this.base}gate-names`, missing)
    const names: string[] = []
    for (let i = 0; i < missing.length; i++) {
      const name = found[i] as string | false
      if (name === false) continue
      this.names[missing[i] as number] = name
      names.push(name)
    }
    this.readAhead(names)
  }

  add({ limit, key }: GateKey, state: GateState): Kept {
    const number = this.context.meta.take("gates", 1)
    const kept = newGate(number, gateName({ limit, key }), limit, key, state, this.context.nowMs)
    this.byName[kept.name] = kept
    this.byNumber[number] = kept
    this.change(kept)
    return kept
  }

  save(number: number, state: GateState): void {
    const kept = this.numbered(number)
    if (kept === null) return
    kept.state = state
    kept.touchedAtMs = this.context.nowMs
    this.change(kept)
  }

  change(kept: Kept): void {
    if (kept.isChanged) return
    kept.isChanged = true
    this.changed.push(kept)
  }

  remove(number: number): void {
    const kept = this.numbered(number)
    if (kept === null) return
    this.byName[kept.name] = false
    delete this.byNumber[number]
    delete this.names[number]
    this.removed.push(kept)
  }

  /** By key, after the given one. */
  ofLimit(limit: string, afterKey: string | null, count: number): Kept[] {
    this.write()
    const from = afterKey === null ? "-" : `(${afterKey}`
    const keys = redis.call("ZRANGEBYLEX", `${this.base}gates:${limit}`, from, "+", "LIMIT", 0, count) as string[]
    this.readAhead(keys.map((key) => gateName({ limit, key })))
    const found: Kept[] = []
    for (const key of keys) {
      const kept = this.find({ limit, key })
      if (kept !== null) found.push(kept)
    }
    return found
  }

  /** Not written for a while, and nobody waits there; the longest first. One that is damaged stays, and keeps no other from being swept. */
  idle(limit: number): Kept[] {
    if (limit <= 0) return []
    this.write()
    const beforeMs = this.context.nowMs - gateForgottenAfterMs
    const piece = Math.max(limit, idlePiece)
    for (let looked = piece; ; looked += piece) {
      const members = redis.call("ZRANGEBYSCORE", `${this.base}gates-idle`, "-inf", beforeMs, "LIMIT", 0, piece) as string[]
      this.readAheadNumbered(members.map((member) => fromSortable(member) ?? 0))
      const found: Kept[] = []
      for (const member of members) {
        const kept = this.soundAt(fromSortable(member) ?? 0)
        if (kept !== null && isIdle(kept) && kept.idleSinceMs === kept.touchedAtMs) found.push(kept)
        else this.putRight(member, kept)
      }
      // Those that were put right may stand behind others now.
      if (found.length === members.length || looked >= mostLooks) return found.slice(0, limit)
    }
  }

  private putRight(member: string, kept: Kept | null): void {
    const key = `${this.base}gates-idle`
    // What cannot be read would stand before all others for ever.
    if (kept === null) redis.call("ZADD", key, this.context.nowMs, member)
    else if (isIdle(kept)) redis.call("ZADD", key, kept.touchedAtMs, member)
    else redis.call("ZREM", key, member)
    if (kept === null) return
    kept.idleSinceMs = isIdle(kept) ? kept.touchedAtMs : 0
    this.change(kept)
  }

  private soundAt(number: number): Kept | null {
    try {
      return this.numbered(number)
    } catch {
      return null
    }
  }

  /** Writes what has changed. */
  write(): void {
    if (this.removed.length > 0) this.writeRemoved()
    if (this.changed.length === 0) return
    const { base, changed } = this
    const gates: Values = []
    const names: Values = []
    const idle: Values = []
    const limits: string[] = []
    const ordered: Record<string, Values> = {}
    this.changed = []
    let at = 0
    let idleAt = 0
    for (const kept of changed) {
      kept.isChanged = false
      // It was removed after it was changed.
      if (this.byName[kept.name] !== kept) continue
      if (kept.more.length > 0) settleDemand(kept, base)
      if (kept.isNew) {
        kept.isNew = false
        names.push(kept.number, kept.name)
        const keys = ordered[kept.limit]
        if (keys === undefined) {
          ordered[kept.limit] = [0, kept.key]
          limits.push(kept.limit)
        } else keys.push(0, kept.key)
      }
      if (isIdle(kept) && (kept.idleSinceMs === 0 || kept.touchedAtMs - kept.idleSinceMs >= idleLagMs)) {
        kept.idleSinceMs = kept.touchedAtMs
        idle[idleAt] = kept.touchedAtMs
        idle[idleAt + 1] = sortable(kept.number)
        idleAt += 2
      }
      gates[at] = kept.name
      gates[at + 1] = packGate(kept)
      at += 2
    }
    callWith("HSET", `${base}gates`, gates)
    callWith("ZADD", `${base}gates-idle`, idle)
    callWith("HSET", `${base}gate-names`, names)
    for (const limit of limits) callWith("ZADD", `${base}gates:${limit}`, ordered[limit] ?? [])
  }

  private writeRemoved(): void {
    const { base, removed } = this
    this.removed = []
    for (const { number, name, limit, key, isNew } of removed) {
      if (isNew) continue
      redis.call("HDEL", `${base}gates`, name)
      redis.call("HDEL", `${base}gate-names`, number)
      redis.call("ZREM", `${base}gates:${limit}`, key)
      redis.call("ZREM", `${base}gates-idle`, sortable(number))
    }
  }

  private named(name: string): Kept | null {
    const before = bytesBefore(name, "/")
    // A limit has no "/" in its name; a key may have more of them.
    return before === null
      ? this.find({ limit: name, key: "" })
      : this.find({ limit: firstBytes(name, before), key: bytesAfter(name, before + 1) })
  }

  private know(name: string, limit: string, key: string, text: string | false): Kept | null {
    if (text === false) {
      this.byName[name] = false
      return null
    }
    const kept = unpackGate(text, name, limit, key)
    if (kept === null) throw unreadable(`${this.base}gates`, name, "a gate", text)
    this.byName[name] = kept
    this.byNumber[kept.number] = kept
    return kept
  }
}

/** A function, so that a step that does not need it does not load it. */
export function openGates(context: Context): GateTable {
  return new GateTable(context)
}
