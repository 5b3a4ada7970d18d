// The lines of calls: at which gates somebody waits, whose call is first there, and when it is worth looking again. Few, and changed by few:
// written at once.

import type { CallLine } from "../../../store/call-records.ts"
import { callWith, type Values } from "./batch.ts"
import type { Context } from "./context.ts"
import { sortable, toNumber } from "./lua.ts"
import { gateOf, unpacked } from "./packed.ts"
import { cmsgpack, redis } from "./server.ts"

type Packed = [ownerId: string, atMs: number]

export class CallLines {
  private readonly base: string
  private readonly nowMs: number

  constructor({ base, nowMs }: Context) {
    this.base = base
    this.nowMs = nowMs
  }

  set(gate: number, line: CallLine | null): void {
    const before = this.at(gate)
    if (before !== null && before.ownerId !== line?.ownerId) redis.call("ZREM", `${this.base}lines:${before.ownerId}`, sortable(gate))
    if (line === null) {
      redis.call("HDEL", `${this.base}lines`, gate)
      return
    }
    if (before !== null && before.ownerId === line.ownerId && before.atMs === line.atMs) return
    redis.call("HSET", `${this.base}lines`, gate, cmsgpack.pack([line.ownerId, line.atMs]))
    redis.call("ZADD", `${this.base}lines:${line.ownerId}`, line.atMs, sortable(gate))
  }

  /** Gates where a call of this owner is first and the time has come. */
  due(ownerId: string, limit: number): number[] {
    const key = `${this.base}lines:${ownerId}`
    const members = redis.call("ZRANGEBYSCORE", key, "-inf", this.nowMs, "LIMIT", 0, limit) as string[]
    return members.map((member) => gateOf(member, key))
  }

  nextAtMs(ownerId: string): number | null {
    const first = redis.call("ZRANGE", `${this.base}lines:${ownerId}`, 0, 0, "WITHSCORES") as string[]
    return first.length > 0 ? toNumber(first[1]) : null
  }

  /** Those of the gates are looked at again, at once. */
  hurry(isOf: (gates: readonly number[]) => readonly boolean[]): void {
    const pairs = redis.call("HGETALL", `${this.base}lines`) as string[]
    const gates: number[] = []
    for (let i = 0; i < pairs.length; i += 2) gates.push(toNumber(pairs[i]) ?? 0)
    const are = isOf(gates)
    const saved: Values = []
    for (let i = 0; i < gates.length; i++) {
      const gate = gates[i] as number
      const [ownerId, atMs] = unpacked<Packed>(pairs[2 * i + 1] as string, `${this.base}lines`, gate)
      if (are[i] !== true || atMs <= this.nowMs) continue
      saved.push(gate, cmsgpack.pack([ownerId, this.nowMs]))
      redis.call("ZADD", `${this.base}lines:${ownerId}`, this.nowMs, sortable(gate))
    }
    callWith("HSET", `${this.base}lines`, saved)
  }

  private at(gate: number): CallLine | null {
    const text = redis.call("HGET", `${this.base}lines`, gate) as string | false
    if (text === false) return null
    const [ownerId, atMs] = unpacked<Packed>(text, `${this.base}lines`, gate)
    return { ownerId, atMs }
  }
}

/** A function, so that a step that does not need it does not load it. */
export function openLines(context: Context): CallLines {
  return new CallLines(context)
}
