// What holds for a limit: what live code declares, and what people have set on top of it.

import { coarse, type GatePolicy, neverUs, type PassingPolicy, type RatePolicy, strictest, wholePolicy } from "../limits/index.ts"
import type { LimitSetting } from "./limits-contract.ts"
import type { OwnerShare } from "./shares.ts"

export interface LimitRecord {
  readonly name: string
  /** One for each policy that was declared and is not forgotten, the latest last. */
  readonly declarations: readonly Declaration[]
  /** By key; "" is the limit as a whole. */
  readonly settings: Readonly<Record<string, LimitSetting>>
  /** Of processes that call outside the queue; absent: there are none. */
  readonly shares?: readonly OwnerShare[]
}

export interface Declaration {
  readonly policy: GatePolicy
  readonly seenAtMs: number
}

/** What holds for one gate at one moment. */
export interface InForce {
  readonly policy: PassingPolicy
  readonly isOverridden: boolean
  readonly isPaused: boolean
  /** By hand; 0 while open. */
  readonly closedUntilUs: number
  /** When, without anybody doing anything, something else holds; null: never. */
  readonly changesAtMs: number | null
}

/** Processes say hello three times in this while: one that was not heard of is gone. */
export const declarationLivesMs = 90_000

export const noSetting: LimitSetting = { override: null, overrideUntilMs: null, isPaused: false, closedUntilMs: null }

export function isSamePolicy(a: GatePolicy, b: GatePolicy): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

/** Those of processes that live; the latest in any case, for somebody must have the word. */
export function liveDeclarations(limit: LimitRecord, nowMs: number): readonly Declaration[] {
  const last = limit.declarations.at(-1)
  return limit.declarations.filter((declaration) => declaration === last || declaration.seenAtMs + declarationLivesMs > nowMs)
}

export function declare(limit: LimitRecord | null, name: string, policy: GatePolicy, nowMs: number): LimitRecord {
  const known = limit ?? { name, declarations: [], settings: {} }
  const others = known.declarations.filter(
    (declaration) => !isSamePolicy(declaration.policy, policy) && declaration.seenAtMs + declarationLivesMs > nowMs,
  )
  return { ...known, declarations: [...others, { policy, seenAtMs: nowMs }] }
}

export function basePolicy(limit: LimitRecord, nowMs: number): GatePolicy | null {
  const live = liveDeclarations(limit, nowMs)
  if (live.length > 1) return wholePolicy(strictest(live.map(({ policy }) => policy)))
  return live[0] ? wholePolicy(live[0].policy) : null
}

/** Whether the gate of this key, and no other, has one. */
export function hasSetting(limit: LimitRecord, key: string): boolean {
  return key !== "" && settingOf(limit, key) !== noSetting
}

/** Whether any gate has one of its own. */
export function hasSettings({ settings }: LimitRecord): boolean {
  // The order does not matter: one is enough.
  return Object.keys(settings).some((key) => key !== "")
}

/** What people have set for the key, and nothing that every object has by that name. */
export function settingOf({ settings }: LimitRecord, key: string): LimitSetting {
  const found: Partial<LimitSetting> | undefined = settings[key]
  // A key may be called like something that every object has.
  return found?.isPaused === undefined ? noSetting : (found as LimitSetting)
}

/** A setting for the key goes before one for the limit; what neither sets is as the code says. */
export function inForce(limit: LimitRecord, key: string, nowMs: number): InForce {
  const whole = settingOf(limit, "")
  const own = key === "" ? noSetting : settingOf(limit, key)
  const overrides = [whole, own].filter(({ override, overrideUntilMs }) => override !== null && (overrideUntilMs ?? nowMs + 1) > nowMs)
  const base = basePolicy(limit, nowMs) ?? { rates: [], concurrency: null }
  const isPaused = whole.isPaused || own.isPaused
  return {
    policy: overridden(base, overrides),
    isOverridden: overrides.length > 0,
    isPaused,
    closedUntilUs: isPaused ? neverUs : Math.max(whole.closedUntilMs ?? 0, own.closedUntilMs ?? 0) * 1_000,
    changesAtMs: earliestChange(limit, overrides, nowMs),
  }
}

function overridden(base: GatePolicy, overrides: readonly LimitSetting[]): PassingPolicy {
  let policy = base
  const replaced: RatePolicy[] = []
  for (const { override } of overrides) {
    // A bucket that more was taken out of than it has would be empty for long.
    if (override?.rates) replaced.push(...policy.rates.filter(({ provider }) => provider !== "bucket"))
    policy = { ...policy, ...override }
  }
  const counted = replaced.filter((rate, i) => ![...policy.rates, ...replaced.slice(0, i)].some((other) => isCountedAlike(rate, other)))
  return counted.length > 0 ? { ...policy, counted: counted.map(coarse) } : policy
}

/** What is charged to the one is charged to the other. */
function isCountedAlike(a: RatePolicy, b: RatePolicy): boolean {
  const isOnePhase = a.provider !== "fixed" || (a.phaseUs - b.phaseUs) % a.perUs === 0
  return a.perUs === b.perUs && wayOf(a) === wayOf(b) && isOnePhase
}

function wayOf({ provider }: RatePolicy): string {
  return provider === "unknown" ? "sliding" : provider
}

/** For people, and for processes that go by it themselves: what holds. */
export function toldPolicy({ counted: _counted, ...policy }: PassingPolicy): GatePolicy {
  return policy
}

function earliestChange(limit: LimitRecord, overrides: readonly LimitSetting[], nowMs: number): number | null {
  const live = liveDeclarations(limit, nowMs)
  const lapses = live.length > 1 ? live.slice(0, -1).map(({ seenAtMs }) => seenAtMs + declarationLivesMs) : []
  const ends = overrides.flatMap(({ overrideUntilMs }) => overrideUntilMs ?? [])
  const times = [...lapses, ...ends]
  return times.length > 0 ? Math.min(Number.POSITIVE_INFINITY, ...times) : null
}
