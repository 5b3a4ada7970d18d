// What every part of the records shares within a step: where its keys are, the time, and the numbers that the namespace keeps.

import { SluiceError, shown } from "../../../errors/index.ts"
import { tick } from "../../../store/clock.ts"
import { layoutVersion } from "../layout.ts"
import { texts, tonumber } from "./builtins.ts"
import { digits } from "./lua.ts"
import { cjson, redis } from "./server.ts"

/** A machine without a clock of its own starts in 1970, and is this far behind at most. */
const furthestAheadMs = 100 * 365 * 86_400_000

/** The last instant of all dates. */
const mostNumber = 8.64e15

export class Context {
  /** The prefix of all keys of the namespace. */
  readonly base: string
  readonly nowMs: number
  readonly meta: Meta
  /** "" where there is no data. */
  readonly epoch: string

  /** The connection that needs not be told of what this step brings; "" where everybody is to hear of it. */
  readonly sender: string

  /** Reads the clock: that of the server where `clock` is "", else the one that was handed in. */
  constructor(base: string, clock: string, sender: string) {
    this.base = base
    this.sender = sender
    this.meta = new Meta(base)
    this.epoch = this.meta.text("epoch") ?? ""
    const wallMs = clock === "" ? serverMs() : tonumber(clock)
    if (!isWhole(wallMs)) throw damaged("the clock of the request", "milliseconds", clock)
    const behind = this.meta.text("behind") ?? ""
    const time = tick({ lastMs: this.meta.number("clock"), behindAtMs: behind === "" ? null : this.meta.number("behind") }, wallMs)
    // Else every lease, every expiry and every retention would be over at once.
    if (time.lastMs - wallMs > furthestAheadMs) throw damaged(`the clock (in ${base}meta)`, "a time of this century", time.lastMs)
    this.nowMs = time.lastMs
    this.meta.set("clock", time.lastMs)
    const behindNow = time.behindAtMs === null ? "" : texts.format("%.0f", time.behindAtMs)
    if (behindNow !== behind) this.meta.set("behind", behindNow)
  }

  /** Finds the data, or begins it with the epoch of the request. Answers with the epoch that holds and the version of the layout. */
  open(request: string): string {
    if (this.epoch === "") {
      // A new beginning beside what is left would give out its numbers again.
      if (redis.call("EXISTS", `${this.base}tasks`) === 1) throw damaged(`epoch (in ${this.base}meta)`, "that of the tasks", undefined)
      const { epoch } = cjson.decode(request) as { readonly epoch: string }
      this.meta.set("epoch", epoch)
      this.meta.set("version", layoutVersion)
      this.meta.end()
    }
    return JSON.stringify({ epoch: this.meta.text("epoch"), version: this.meta.number("version") })
  }
}

function serverMs(): number {
  const [seconds, micros] = redis.call("TIME") as [string, string]
  return tonumber(seconds) * 1_000 + Math.floor(tonumber(micros) / 1_000)
}

/** The hash `meta`: read once, and what has changed written once. */
export class Meta {
  private readonly key: string
  private readonly values: Record<string, string | number> = {}
  private readonly isChanged: Record<string, boolean> = {}
  private readonly changed: string[] = []

  constructor(base: string) {
    this.key = `${base}meta`
    const found = redis.call("HGETALL", this.key) as string[]
    for (let i = 0; i + 1 < found.length; i += 2) this.values[found[i] as string] = found[i + 1] as string
  }

  text(name: string): string | null {
    const value = this.values[name]
    return value === undefined ? null : `${value}`
  }

  /** 0 before it was ever set. */
  number(name: string): number {
    const value = this.values[name]
    if (value === undefined) return 0
    // Set by this step.
    if (typeof value === "number") return value
    const number = tonumber(value)
    if (!isWhole(number)) throw damaged(`${name} (in ${this.key})`, "a number", value)
    return number
  }

  set(name: string, value: string | number): void {
    this.values[name] = value
    if (this.isChanged[name]) return
    this.isChanged[name] = true
    this.changed.push(name)
  }

  /** The next numbers of this name, `count` of them; answers with the first, which is never 0. */
  take(name: string, count: number): number {
    const last = this.number(name)
    this.set(name, last + count)
    return last + 1
  }

  end(): void {
    if (this.changed.length === 0) return
    const values: string[] = []
    for (const name of this.changed) {
      const value = this.values[name] as string | number
      values.push(name, typeof value === "number" ? digits(value) : value)
    }
    redis.call("HSET", this.key, ...values)
  }
}

/** Whole, and so that counting on from it stays exact. */
function isWhole(value: number | undefined): boolean {
  return value !== undefined && value === Math.floor(value) && value >= -mostNumber && value <= mostNumber
}

/** What was read cannot be what was written. */
export function damaged(record: string, expected: string, got: unknown): SluiceError {
  return new SluiceError("store_damaged", `${record}: expected ${expected}, got ${got === undefined ? "none" : shown(got)}`)
}
