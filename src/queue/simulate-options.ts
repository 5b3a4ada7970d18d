// The options of a simulation, read into plain numbers.

import { SluiceError, shown } from "../errors/index.ts"
import type { Durations } from "../simulate/index.ts"
import { type Duration, formatDuration, parseDuration, parseKey, parseName, parseRate, readOptions, wholeNumber } from "../units/index.ts"
import { type AnyLimit, isLimit, readCost } from "./limit.ts"

/** `Named`: how a limit may be given; a queue also takes the name of one that its store knows. */
export interface SimulateOptions<Named = AnyLimit> {
  readonly tasks: number
  /** Every task passes all of them. */
  readonly limits?: readonly (Named | LimitUse<Named>)[]
  /** How long a task runs: always "1s", or half of them up to p50 and 99 in 100 up to p99. */
  readonly duration?: Duration | { readonly p50: Duration; readonly p99: Duration }
  /** How many all workers together run at once; any number if not given. */
  readonly concurrency?: number
  /** So many in so long, such as "50/s"; if not given, all of them are there from the start. */
  readonly arrivals?: string
  /** The same seed draws the same durations and keys; 1 if not given. */
  readonly seed?: number
}

export interface LimitUse<Named = AnyLimit> {
  readonly limit: Named
  /** How many keys there are, or how often each is met: `50`, `[5, 3, 1]`, `{ "host-1": 5, "host-2": 3 }`. Not split if not given. */
  readonly keys?: number | readonly number[] | Readonly<Record<string, number>>
  /** What one task costs; 1 if not given. */
  readonly cost?: number
}

export interface ReadLimitUse {
  readonly limit: AnyLimit | string
  /** Null: keys that nobody has named, of which nothing is known. */
  readonly keys: readonly { readonly name: string | null; readonly weight: number }[]
  readonly cost: number
}

export interface ReadSimulation {
  readonly tasks: number
  readonly limits: readonly ReadLimitUse[]
  readonly durations: Durations | null
  readonly room: number | null
  readonly arrivals: { readonly limit: number; readonly perMs: number } | null
  readonly seed: number
}

export const mostTasks = 1_000_000
const mostKeys = 100_000
const mostNamedKeys = 1_000
const mostLimits = 32
const longestMs = 365 * 86_400_000
/** Of their sum each has to be a share that can be drawn. */
const heaviest = 1_000_000_000

export const simulateReaders = {
  tasks: wholeNumber(1, mostTasks),
  limits: readUses,
  duration: readDurations,
  concurrency: wholeNumber(1, 1_000_000),
  arrivals: parseRate,
  seed: wholeNumber(0, 4_294_967_295),
}

export function readSimulation(where: string, options: unknown): ReadSimulation {
  const { tasks, limits, duration, concurrency, arrivals, seed } = readOptions(where, options, simulateReaders)
  if (tasks === undefined) throw invalid(`${where}: tasks: expected how many tasks there are, such as 100000, got none`)
  return {
    tasks,
    limits: limits ?? [],
    durations: duration ?? null,
    room: concurrency ?? null,
    arrivals: arrivals ?? null,
    seed: seed ?? 1,
  }
}

export function readDurations(name: string, value: unknown): Durations {
  if (typeof value !== "object" || value === null) return { kind: "constant", ms: readLength(name, value) }
  const { p50, p99 } = readOptions(name, value, { p50: readLength, p99: readLength })
  if (p50 === undefined || p99 === undefined || p50 < 1)
    throw new SluiceError("invalid_duration", `${name}: expected both p50 and p99, such as "1s" and "8s", and more than 0`)
  if (p99 < p50)
    throw new SluiceError(
      "invalid_duration",
      `${name}: expected a p99 of the p50 (${formatDuration(p50)}) or more, got ${formatDuration(p99)}`,
    )
  return { kind: "lognormal", p50Ms: p50, p99Ms: p99 }
}

function readLength(name: string, value: unknown): number {
  const ms = parseDuration(name, value)
  if (ms <= longestMs) return ms
  throw new SluiceError("invalid_duration", `${name}: expected at most ${formatDuration(longestMs)}, got ${shown(value)}`)
}

function readUses(name: string, value: unknown): readonly ReadLimitUse[] {
  if (!Array.isArray(value)) throw invalid(`${name}: expected an array of limits, got ${shown(value)}`)
  if (value.length > mostLimits) throw invalid(`${name}: expected at most ${mostLimits} limits, got ${value.length}`)
  const uses = value.map((one, i) => readUse(`${name}[${i}]`, one))
  const names = uses.map(({ limit }) => nameOf(limit))
  const twice = names.find((one, i) => names.indexOf(one) < i)
  if (twice !== undefined) throw invalid(`${name}: expected each limit once, got ${shown(twice)} twice; give it several keys instead`)
  return uses
}

function readUse(where: string, value: unknown): ReadLimitUse {
  if (typeof value === "string" || isLimit(value)) return { limit: readLimit(where, value), keys: notSplit, cost: 1 }
  const { limit, keys, cost } = readOptions(where, value, { limit: readLimit, keys: readKeys, cost: readCost })
  if (limit === undefined) throw invalid(`${where}: limit: expected what defineLimit gives, or the name of a limit, got none`)
  return { limit, keys: keys ?? notSplit, cost: cost ?? 1 }
}

const notSplit: ReadLimitUse["keys"] = [{ name: "", weight: 1 }]

export function nameOf(limit: AnyLimit | string): string {
  return typeof limit === "string" ? limit : limit.name
}

function readLimit(where: string, value: unknown): AnyLimit | string {
  if (isLimit(value)) return value
  if (typeof value === "string") return parseName(where, value)
  throw invalid(`${where}: expected what defineLimit gives, or the name of a limit, got ${shown(value)}`)
}

export function readKeys(name: string, value: unknown): ReadLimitUse["keys"] {
  if (typeof value === "number") {
    const count = wholeNumber(1, mostKeys)(name, value)
    return Array<ReadLimitUse["keys"][number]>(count).fill({ name: null, weight: 1 })
  }
  if (typeof value !== "object" || value === null)
    throw invalid(`${name}: expected a number of keys, or how often each is met, such as 50 or [5, 3, 1], got ${shown(value)}`)
  const isNamed = !Array.isArray(value)
  const most = isNamed ? mostNamedKeys : mostKeys
  const entries = Object.entries(value)
  if (entries.length < 1 || entries.length > most) throw invalid(`${name}: expected 1 to ${most} keys, got ${entries.length}`)
  return entries.map(([key, weight]) => ({
    name: isNamed ? parseKey(`${name}: key`, key) : null,
    weight: readWeight(`${name}: ${key}`, weight),
  }))
}

function readWeight(name: string, value: unknown): number {
  if (typeof value === "number" && value > 0 && value <= heaviest) return value
  throw invalid(`${name}: expected how often it is met relative to the others, more than 0 and at most ${heaviest}, got ${shown(value)}`)
}

function invalid(message: string): SluiceError {
  return new SluiceError("invalid_option", message)
}
