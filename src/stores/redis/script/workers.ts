// What workers said last: their latest claim, the types that they serve, and when that was.

import { workerForgottenAfterMs } from "../../../store/records.ts"
import { texts, tonumber } from "./builtins.ts"
import type { Context } from "./context.ts"
import { cmsgpack, redis } from "./server.ts"

/** A worker as it is packed: the number of its latest claim, and its types. */
type StoredWorker = [number, ...string[]]

const aheadOfClockMs = 600_000

export class Workers {
  private readonly key: string
  private readonly seenKey: string
  private readonly nowMs: number
  private readonly known: Record<string, StoredWorker | undefined> = {}

  constructor({ base, nowMs }: Context) {
    this.key = `${base}workers`
    this.seenKey = `${base}workers-seen`
    this.nowMs = nowMs
  }

  claimNumber(workerId: string): number {
    const number = this.read(workerId)[0]
    // Workers number their claims by this clock. One from the future was never given, and would have its worker ask for ever.
    return number > (this.nowMs + aheadOfClockMs) * 1_000 ? 0 : number
  }

  save(workerId: string, claimNumber: number, types: readonly string[]): void {
    const worker: StoredWorker = [claimNumber, ...types]
    this.known[workerId] = worker
    redis.call("HSET", this.key, workerId, cmsgpack.pack(worker))
    redis.call("ZADD", this.seenKey, this.nowMs, workerId)
  }

  see(workerId: string, types: readonly string[]): void {
    this.save(workerId, this.read(workerId)[0], types)
  }

  since(type: string, sinceMs: number): number {
    const ids = redis.call("ZRANGEBYSCORE", this.seenKey, texts.format("(%.0f", sinceMs), "+inf") as string[]
    let count = 0
    for (const id of ids) {
      const [, ...types] = this.read(id)
      if (types.includes(type)) count++
    }
    return count
  }

  /** Those that were seen later, by id. */
  list(sinceMs: number, limit: number): { readonly id: string; readonly types: readonly string[]; readonly seenAtMs: number }[] {
    const found = redis.call("ZRANGEBYSCORE", this.seenKey, texts.format("(%.0f", sinceMs), "+inf", "WITHSCORES") as string[]
    const workers: { id: string; types: string[]; seenAtMs: number }[] = []
    for (let i = 0; i + 1 < found.length; i += 2) {
      const id = found[i] as string
      const [, ...types] = this.read(id)
      workers.push({ id, types, seenAtMs: tonumber(found[i + 1]) })
    }
    return workers.sort((a, b) => (a.id < b.id ? -1 : 1)).slice(0, limit)
  }

  /** Drops those that cannot have a claim under way; answers how many. */
  forget(limit: number): number {
    const before = this.nowMs - workerForgottenAfterMs
    const ids = redis.call("ZRANGEBYSCORE", this.seenKey, "-inf", before, "LIMIT", 0, limit) as string[]
    if (ids.length === 0) return 0
    redis.call("ZREM", this.seenKey, ...ids)
    redis.call("HDEL", this.key, ...ids)
    for (const id of ids) this.known[id] = undefined
    return ids.length
  }

  private read(workerId: string): StoredWorker {
    const known = this.known[workerId]
    if (known !== undefined) return known
    const found = redis.call("HGET", this.key, workerId) as string | false
    const worker = (found === false ? [0] : cmsgpack.unpack(found)) as StoredWorker
    this.known[workerId] = worker
    return worker
  }
}
