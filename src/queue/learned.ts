// What gates have learned, as people see, set and carry it: to another store, say, or into a file.

import { SluiceError, shown } from "../errors/index.ts"
import { type GatePolicy, type LinearPolicy, setLinear, setScout, type Taught } from "../limits/index.ts"
import { type GateReport, isTaughtByAnybody } from "../store/index.ts"
import { type Duration, parseDuration, parseKey, parseRate, readOptions } from "../units/index.ts"
import { paceText } from "./adaptive-settings.ts"
import { dateOrNull } from "./gate-view.ts"
import { windowText } from "./window-text.ts"

/** Of one gate. The times and delays are those of the seed's table, whichever way the gate learns. */
export interface LearnedView {
  readonly preset: "scout" | "linear" | null
  /** The distance between two starts, in milliseconds; null: none is kept. */
  readonly everyMs: number | null
  readonly slots: number | null
  readonly errorStreak: number
  readonly successStreak: number
  readonly adaptiveDelayMs: number
  readonly delayFloorMs: number
  readonly nextAvailable: Date | null
  readonly lastSuccess: Date | null
  /** Grows with each change. */
  readonly version: number
}

/** Everything that a gate has learned, as it is carried from store to store. */
export interface LearnedExport {
  readonly limit: string
  readonly key: string
  readonly taught: Taught
}

export interface TeachOptions {
  /** For a gate that learns by `linear`: the distance, and the least that it may come to. */
  readonly delay?: Duration
  readonly floor?: Duration
  /** For a gate that learns by `scout`: the pace that it takes for the limit, such as "5/s". */
  readonly rate?: string
}

export function learnedView(report: GateReport): LearnedView {
  const { policy, pace, learned, slots, adaptive } = report
  return {
    preset: policy.adaptive?.preset ?? null,
    everyMs: pace && pace.everyUs > 0 ? pace.everyUs / 1_000 : null,
    slots: slots?.of ?? null,
    errorStreak: adaptive.errorStreak,
    successStreak: adaptive.successStreak,
    adaptiveDelayMs: adaptive.adaptiveDelayMs,
    delayFloorMs: adaptive.delayFloorMs,
    nextAvailable: dateOrNull(adaptive.nextAvailableAtMs),
    lastSuccess: dateOrNull(adaptive.lastSuccessAtMs),
    version: learned?.version ?? 0,
  }
}

/** Null where the gate has learned nothing. */
export function exportOf({ limit, key, pace, learned, policy, slots }: GateReport): LearnedExport | null {
  if (!learned) return null
  const fewer = slots && policy.concurrency !== null && slots.of < policy.concurrency ? slots.of : null
  return { limit, key, taught: { learned, everyUs: pace?.everyUs ?? null, slots: fewer } }
}

/** What the gate knows after it was told. */
export function taughtBy(where: string, report: GateReport, nowMs: number, options: TeachOptions): Taught {
  const read = readOptions(where, options, { delay: parseDuration, floor: parseDuration, rate: parseRate })
  const { adaptive } = report.policy
  const nowUs = nowMs * 1_000
  const state = stateOf(report)
  if (adaptive?.preset === "linear") {
    if (read.rate !== undefined || (read.delay === undefined && read.floor === undefined))
      throw invalid(`${where}: expected delay or floor, because the limit learns by "linear"`)
    checkDelays(where, adaptive, read)
    return taughtOf(
      setLinear(report.policy, adaptive, state, nowUs, {
        ...(read.delay === undefined ? {} : { delayMs: read.delay }),
        ...(read.floor === undefined ? {} : { floorMs: read.floor }),
      }),
    )
  }
  if (adaptive?.preset === "scout") {
    if (read.rate === undefined || read.delay !== undefined || read.floor !== undefined)
      throw invalid(`${where}: expected rate, such as "5/s", because the limit learns by "scout"`)
    const everyUs = Math.round((read.rate.perMs * 1_000) / read.rate.limit)
    if (everyUs > adaptive.mostUs || everyUs < adaptive.leastUs)
      throw invalid(
        `${where}: rate: expected a pace from ${paceText(adaptive.mostUs)} to ${paceText(adaptive.leastUs)}, the min and max of the limit, got ${shown(options.rate)}`,
      )
    return taughtOf(setScout(report.policy, adaptive, state, nowUs, everyUs))
  }
  throw invalid(`${where}: expected a limit with adaptive: true, got one that learns nothing`)
}

interface Delays {
  readonly delay?: number
  readonly floor?: number
}

/** What would be cut off, or contradicts itself, is not what somebody meant. */
function checkDelays(where: string, { mostUs }: LinearPolicy, { delay, floor }: Delays): void {
  const mostMs = mostUs / 1_000
  if (delay !== undefined && floor !== undefined && floor > delay)
    throw invalid(`${where}: floor: expected at most the delay of ${windowText(delay)}, got ${windowText(floor)}`)
  for (const [option, ms] of Object.entries({ delay, floor }))
    if (ms !== undefined && ms > mostMs)
      throw invalid(`${where}: ${option}: expected at most ${windowText(mostMs)}, the max of the limit, got ${windowText(ms)}`)
}

type LearnedState = Parameters<typeof setLinear>[2]

function stateOf({ pace, learned }: GateReport): LearnedState {
  return {
    rates: [],
    holders: [],
    holdUs: 0,
    closedUntilUs: 0,
    cooldown: { count: 0, reactedAtUs: -1 },
    ...(pace ? { pace: { everyUs: pace.everyUs, nextAtUs: pace.nextAtMs * 1_000, busy: 0 } } : {}),
    ...(learned ? { learned } : {}),
  }
}

function taughtOf({ learned, pace, slots }: LearnedState): Taught {
  return { learned: learned ?? { version: 0, changedAtUs: 0 }, everyUs: pace?.everyUs ?? null, slots: slots ?? null }
}

/** From a file, or from anybody: only what looks like it is taken. */
export function readExport(where: string, value: unknown): LearnedExport {
  const { limit, key, taught } = (typeof value === "object" && value !== null ? value : {}) as Partial<Record<keyof LearnedExport, unknown>>
  if (typeof limit !== "string" || typeof key !== "string" || !isTaughtByAnybody(taught))
    throw invalid(`${where}: expected what was exported, such as {"limit": …, "key": …, "taught": …}, got ${shown(value)}`)
  return { limit, key: key === "" ? "" : parseKey(`${where}: key`, key), taught }
}

/** Who has learned in one way cannot go on from what was learned in another: the pace would stay for ever. */
export function checkImport(where: string, limit: string, { adaptive }: GatePolicy, { learned }: Taught): void {
  const ways = (["scout", "linear", "margin"] as const).filter((way) => learned[way] !== undefined)
  const own = adaptive?.preset ?? "margin"
  if (ways.length === 0 || ways.includes(own)) return
  const learns = (way: string | undefined) => (way === "margin" ? "nothing but what refusals of its rates say" : `by ${shown(way)}`)
  throw invalid(
    `${where}: expected a limit that learns ${learns(ways[0])}, as what was exported, got ${limit}, which learns ${learns(own)}`,
  )
}

function invalid(message: string): SluiceError {
  return new SluiceError("invalid_option", message)
}
