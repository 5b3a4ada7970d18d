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

  constructor(base: string) {
    this.key = `${base}counts`
  }

  remove(type: string, status: Status): void {
    this.count(type, status, -1)
  }

  /** Null: it was not there before. */
  move(type: string, from: Status | null, to: Status): void {
    if (from === to) return
    if (from !== null) this.count(type, from, -1)
    this.count(type, to, 1)
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
