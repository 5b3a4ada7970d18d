// When it is worth looking at gates again, by type: `dues:<type>`. What a step says is kept until somebody asks or the step ends, and then
// written with a few commands for all gates.

import type { DueGate } from "../../../store/limit-records.ts"
import { askWith, callWith, type Values } from "./batch.ts"
import type { Context } from "./context.ts"
import { sortable, toNumber } from "./lua.ts"
import { gateOf } from "./packed.ts"
import { redis } from "./server.ts"

interface Said {
  readonly type: string
  readonly gates: number[]
  /** By gate; false: nobody waits there. */
  readonly atMs: Record<number, number | false>
}

export class Dues {
  /** Whether somebody who sleeps has to hear of an opening. */
  hasNews = false
  private readonly context: Context
  private said: Said[] = []
  private byType: Record<string, Said> = {}

  constructor(context: Context) {
    this.context = context
  }

  set(type: string, gate: number, atMs: number | null): void {
    const said = this.byType[type] ?? { type, gates: [], atMs: {} }
    if (this.byType[type] === undefined) {
      this.byType[type] = said
      this.said.push(said)
    }
    if (said.atMs[gate] === undefined) said.gates.push(gate)
    said.atMs[gate] = atMs ?? false
  }

  /** Those whose time has come, earliest first. */
  until(type: string, limit: number): DueGate[] {
    this.write()
    const { base, nowMs } = this.context
    if (limit <= 0) return []
    const key = `${base}dues:${type}`
    return toDues(key, redis.call("ZRANGEBYSCORE", key, "-inf", nowMs, "WITHSCORES", "LIMIT", 0, limit) as string[])
  }

  next(type: string): DueGate | null {
    this.write()
    const key = `${this.context.base}dues:${type}`
    return toDues(key, redis.call("ZRANGE", key, 0, 0, "WITHSCORES") as string[])[0] ?? null
  }

  /** Every gate of the limit that somebody waits at is looked at again, at once. `isOf` says which of the gates are. */
  hurry(isOf: (gates: readonly number[]) => readonly boolean[]): void {
    this.write()
    const { base, nowMs } = this.context
    for (const type of redis.call("SMEMBERS", `${base}due-types`) as string[]) {
      const key = `${base}dues:${type}`
      const members = redis.call("ZRANGEBYSCORE", key, `(${nowMs}`, "+inf") as string[]
      const are = isOf(members.map((member) => gateOf(member, key)))
      const hurried: Values = []
      for (let i = 0; i < members.length; i++) if (are[i] === true) hurried.push(nowMs, members[i] as string)
      callWith("ZADD", key, hurried)
    }
  }

  /** Those who sleep hear of what was not known before, or is earlier. */
  write(): void {
    if (this.said.length === 0) return
    const { said } = this
    this.said = []
    this.byType = {}
    for (const { type, gates, atMs } of said) this.writeType(type, gates, atMs)
  }

  private writeType(type: string, gates: readonly number[], atMs: Record<number, number | false>): void {
    const { base } = this.context
    const key = `${base}dues:${type}`
    const before = askWith(
      "ZMSCORE",
      key,
      gates.map((gate) => sortable(gate)),
    )
    const later: Values = []
    const gone: Values = []
    let isFirst = false
    for (let i = 0; i < gates.length; i++) {
      const gate = gates[i] as number
      const at = atMs[gate] as number | false
      const was = toNumber(before[i])
      if (at === false) {
        if (was !== null) gone.push(sortable(gate))
      } else if (at !== was) {
        later.push(at, sortable(gate))
        if (was === null) isFirst = true
        if (was === null || at < was) this.hasNews = true
      }
    }
    callWith("ZADD", key, later)
    callWith("ZREM", key, gone)
    if (isFirst) redis.call("SADD", `${base}due-types`, type)
  }
}

/** Members and their scores, one after the other. */
function toDues(key: string, pairs: readonly string[]): DueGate[] {
  const found: DueGate[] = []
  for (let i = 0; i < pairs.length; i += 2) found.push({ gate: gateOf(pairs[i] as string, key), atMs: toNumber(pairs[i + 1]) ?? 0 })
  return found
}

/** A function, so that a step that does not need it does not load it. */
export function openDues(context: Context): Dues {
  return new Dues(context)
}
