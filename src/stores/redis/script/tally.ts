// How many tasks there are by type and status: counted up during a step, written at its end.

import { shown } from "../../../errors/index.ts"
import { type Status, statuses } from "../../../task/index.ts"
import { texts, tonumber } from "./builtins.ts"
import { damaged } from "./context.ts"
import { statusCode } from "./row.ts"
import { redis } from "./server.ts"

export class Tally {
  private readonly key: string
  /** By type, then by status. */
  private more: Record<string, Record<string, number | undefined> | undefined> = {}
  private types: string[] = []
  /** Moves that are alike come one after the other: how many, and which. */
  private alike = 0
  private type = ""
  private from: Status | null = null
  private to: Status = "pending"

  constructor(base: string) {
    this.key = `${base}counts`
  }

  remove(type: string, status: Status): void {
    this.count(type, status, -1)
  }

  /** Null: it was not there before. */
  move(type: string, from: Status | null, to: Status): void {
    if (this.alike > 0 && from === this.from && to === this.to && type === this.type) {
      this.alike++
      return
    }
    this.countAlike()
    if (from === to) return
    this.alike = 1
    this.type = type
    this.from = from
    this.to = to
  }

  private countAlike(): void {
    if (this.alike === 0) return
    if (this.from !== null) this.count(this.type, this.from, -this.alike)
    this.count(this.type, this.to, this.alike)
    this.alike = 0
  }

  counts(type: string | null): Record<Status, number> {
    this.end()
    const total = {} as Record<Status, number>
    for (const status of statuses) total[status] = 0
    if (type === null) {
      const found = redis.call("HGETALL", this.key) as string[]
      for (let i = 0; i + 1 < found.length; i += 2) {
        const status = statuses[tonumber(texts.sub(found[i] as string, 1, 1))] as Status
        total[status] += tonumber(found[i + 1])
      }
    } else {
      const asked = statuses.map((status) => field(type, status))
      const found = redis.call("HMGET", this.key, ...asked) as (string | false)[]
      for (let i = 0; i < statuses.length; i++) {
        const count = found[i]
        if (typeof count === "string") total[statuses[i] as Status] = tonumber(count)
      }
    }
    for (const status of statuses)
      if (!(total[status] >= 0)) throw damaged(`the count of ${shown(status)} tasks (in ${this.key})`, "0 or more", total[status])
    return total
  }

  end(): void {
    this.countAlike()
    for (const type of this.types) {
      const byStatus = this.more[type] ?? {}
      for (const status of statuses) {
        const more = byStatus[status] ?? 0
        if (more !== 0) redis.call("HINCRBY", this.key, field(type, status), more)
      }
    }
    this.more = {}
    this.types = []
  }

  private count(type: string, status: Status, more: number): void {
    let byStatus = this.more[type]
    if (byStatus === undefined) {
      byStatus = {}
      this.more[type] = byStatus
      this.types.push(type)
    }
    byStatus[status] = (byStatus[status] ?? 0) + more
  }
}

function field(type: string, status: Status): string {
  return `${statusCode(status)}${type}`
}
