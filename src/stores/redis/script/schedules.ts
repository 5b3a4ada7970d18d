// Schedules in Redis: a packed record each, found by name and by the instant that it stands at. What a step saves is written when it ends.

import type { ScheduleRecords } from "../../../store/schedule-records.ts"
import type { ScheduleRecord } from "../../../task/index.ts"
import { askWith } from "./batch.ts"
import type { Context } from "./context.ts"
import { toNumber } from "./lua.ts"
import { unpacked, unpackedIfSound } from "./packed.ts"
import { cmsgpack, redis } from "./server.ts"

export class RedisSchedules implements ScheduleRecords {
  /** Whether somebody who sleeps has to hear of an instant. */
  hasNews = false
  private readonly base: string
  private readonly nowMs: number
  /** False: it is removed. */
  private readonly changed: Record<string, ScheduleRecord | false> = {}
  private names: string[] = []

  constructor({ base, nowMs }: Context) {
    this.base = base
    this.nowMs = nowMs
  }

  load(name: string): ScheduleRecord | null {
    const own = this.changed[name]
    if (own !== undefined) return own === false ? null : own
    const text = redis.call("HGET", `${this.base}schedules`, name) as string | false
    return text === false ? null : unpacked<ScheduleRecord>(text, `${this.base}schedules`, name)
  }

  /** By name, after the given one. */
  page(afterName: string | null, count: number): readonly ScheduleRecord[] {
    this.write()
    const from = afterName === null ? "-" : `(${afterName}`
    const names = redis.call("ZRANGEBYLEX", `${this.base}schedules-names`, from, "+", "LIMIT", 0, count) as string[]
    const texts = askWith("HMGET", `${this.base}schedules`, names)
    const found: ScheduleRecord[] = []
    for (let i = 0; i < names.length; i++) {
      const text = texts[i] as string | false
      if (text !== false) found.push(unpacked<ScheduleRecord>(text, `${this.base}schedules`, names[i] as string))
    }
    return found
  }

  /** One that is damaged does not keep the others from being fired. Whoever asks for it is told. */
  due(count: number): readonly ScheduleRecord[] {
    if (count <= 0) return []
    this.write()
    const names = redis.call("ZRANGEBYSCORE", `${this.base}schedules-next`, "-inf", this.nowMs, "LIMIT", 0, count) as string[]
    const found: ScheduleRecord[] = []
    for (const text of askWith("HMGET", `${this.base}schedules`, names)) {
      const schedule = text === false ? null : unpackedIfSound<ScheduleRecord>(text)
      if (schedule !== null) found.push(schedule)
    }
    return found
  }

  earliestAtMs(): number | null {
    this.write()
    return scoreOf(redis.call("ZRANGE", `${this.base}schedules-next`, 0, 0, "WITHSCORES") as string[])
  }

  upcomingAtMs(): number | null {
    this.write()
    const key = `${this.base}schedules-next`
    return scoreOf(redis.call("ZRANGEBYSCORE", key, `(${this.nowMs}`, "+inf", "WITHSCORES", "LIMIT", 0, 1) as string[])
  }

  save(schedule: ScheduleRecord): void {
    const before = this.load(schedule.name)?.nextAtMs ?? null
    const { nextAtMs } = schedule
    if (nextAtMs !== null && (before === null || nextAtMs < before)) this.hasNews = true
    this.change(schedule.name, schedule)
  }

  remove(name: string): void {
    this.change(name, false)
  }

  /** Ends the step. */
  end(): void {
    this.write()
  }

  private change(name: string, to: ScheduleRecord | false): void {
    if (this.changed[name] === undefined) this.names.push(name)
    this.changed[name] = to
  }

  private write(): void {
    if (this.names.length === 0) return
    const { base, names } = this
    this.names = []
    for (const name of names) {
      const to = this.changed[name]
      delete this.changed[name]
      if (to === undefined || to === false) {
        redis.call("HDEL", `${base}schedules`, name)
        redis.call("ZREM", `${base}schedules-names`, name)
      } else {
        redis.call("HSET", `${base}schedules`, name, cmsgpack.pack(to))
        redis.call("ZADD", `${base}schedules-names`, 0, name)
      }
      if (to === undefined || to === false || to.nextAtMs === null) redis.call("ZREM", `${base}schedules-next`, name)
      else redis.call("ZADD", `${base}schedules-next`, to.nextAtMs, name)
    }
  }
}

/** Of the one member that was asked for. */
function scoreOf(pair: readonly string[]): number | null {
  return pair.length === 0 ? null : toNumber(pair[1])
}

/** A function, so that a step that does not need it does not load it. */
export function openSchedules(context: Context): RedisSchedules {
  return new RedisSchedules(context)
}
