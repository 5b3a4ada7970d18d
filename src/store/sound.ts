// What stored JSON has to look like. Text that was damaged may still be JSON: a holder whose "untilUs" is spelt otherwise holds
// nothing, a rate without its window has no past, and too much would pass. So whatever is read is looked at before it is believed.

import {
  type AdaptivePolicy,
  emptyLearned,
  type GatePolicy,
  type GateState,
  type Holder,
  type Interval,
  type Learned,
  linearDefaults,
  type Pace,
  type RatePolicy,
  type ScoutPolicy,
  scoutDefaults,
  type Taught,
  type ToldWindow,
  type WindowState,
  wholeShare,
} from "../limits/index.ts"
import { type GateRef, type HistoryEntry, type Status, statuses } from "../task/index.ts"
import type { CallRecord } from "./call-records.ts"
import type { LimitSetting, LoggedChange } from "./limits-contract.ts"
import type { Declaration, LimitRecord } from "./policies.ts"
import type { OwnerShare } from "./shares.ts"

type Unknown<T> = { readonly [K in keyof T]?: unknown }

/** The last instant that a Date can hold. */
export const lastMs = 8.64e15
const lastUs = lastMs * 1_000
const knownStatuses: ReadonlySet<unknown> = new Set(statuses)

export function isStatus(value: unknown): value is Status {
  return knownStatuses.has(value)
}

export function isWhole(value: unknown, least: number, most: number): boolean {
  return Number.isInteger(value) && (value as number) >= least && (value as number) <= most
}

export const isCount = (value: unknown) => isWhole(value, 0, Number.MAX_SAFE_INTEGER)
export const isCost = (value: unknown) => isWhole(value, 1, Number.MAX_SAFE_INTEGER)
/** People may name a time long past. */
/** The queue takes fewer; a store keeps whichever it is given. */
export const isPriority = (value: unknown) => isWhole(value, -Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)
export const isTime = (value: unknown) => isWhole(value, -lastMs, lastMs)
const isUs = (value: unknown) => isWhole(value, 0, lastUs)
export const isText = (value: unknown) => typeof value === "string"
export const isFlag = (value: unknown) => typeof value === "boolean"
export const orNull = (is: (value: unknown) => boolean) => (value: unknown) => value === null || is(value)
const orAbsent = (is: (value: unknown) => boolean) => (value: unknown) => value === undefined || is(value)

export function isObject<T>(value: unknown): value is Unknown<T> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

export function isListOf(value: unknown, is: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(is)
}

export function isTexts(value: unknown): value is readonly string[] {
  return isListOf(value, isText)
}

export function isGateRefs(value: unknown): value is readonly GateRef[] {
  return isListOf(value, isGateRef)
}

function isGateRef(ref: unknown): boolean {
  return (
    isObject<GateRef>(ref) &&
    isText(ref.limit) &&
    ref.limit !== "" &&
    isText(ref.key) &&
    isCost(ref.cost) &&
    orAbsent(isCost)(ref.most) &&
    orAbsent(isCost)(ref.reserved) &&
    orAbsent(isTime)(ref.delayMs)
  )
}

export function isHistory(value: unknown): value is readonly HistoryEntry[] {
  return isListOf(value, isEntry) && (value as unknown[]).length > 0
}

function isEntry(entry: unknown): boolean {
  return (
    isObject<HistoryEntry>(entry) &&
    isTime(entry.atMs) &&
    isStatus(entry.status) &&
    isText(entry.event) &&
    orAbsent(isTime)(entry.expiresAtMs) &&
    orAbsent(isTime)(entry.delayMs) &&
    orAbsent(isCount)(entry.count) &&
    [entry.workerId, entry.reason, entry.error].every(orAbsent(isText))
  )
}

export function isGateState(value: unknown): value is GateState {
  return (
    isObject<GateState>(value) &&
    isListOf(value.holders, isHolder) &&
    isListOf(value.rates, isRateState) &&
    isUs(value.holdUs) &&
    isUs(value.closedUntilUs) &&
    isObject<GateState["cooldown"]>(value.cooldown) &&
    isCount(value.cooldown.count) &&
    isWhole(value.cooldown.reactedAtUs, -1, lastUs) &&
    orAbsent(isPace)(value.pace) &&
    orAbsent(isToldWindow)(value.window) &&
    orAbsent(isCost)(value.slots) &&
    orAbsent(isCount)(value.refusals) &&
    orAbsent(isLearned)(value.learned)
  )
}

function isPace(pace: unknown): boolean {
  return isObject<Pace>(pace) && isUs(pace.everyUs) && isUs(pace.nextAtUs) && isWhole(pace.busy, 0, 1_000)
}

function isToldWindow(window: unknown): boolean {
  if (!isObject<ToldWindow>(window) || !isCost(window.limit)) return false
  return isRateState(window.counted) && isObject<WindowState>(window.counted) && window.counted.kind === "window"
}

/**
 * Each part is a flat record of whole numbers, or null where nothing is known. It has fields of an empty one, and those that an older version
 * did not know are missing: whoever reads it has `wholeState` fill them in. One that this version does not know is refused: what it means for
 * the others nobody here can tell.
 */
function isLearned(learned: unknown): boolean {
  if (!isObject<Learned>(learned) || !isCount(learned.version) || !isUs(learned.changedAtUs)) return false
  const { costs } = learned
  const areCosts =
    costs === undefined || (isObject<Record<string, unknown>>(costs) && Object.values(costs).every(isPartOf(emptyLearned.cost)))
  return areCosts && Object.entries(emptyLearned.parts).every(([part, empty]) => orAbsent(isPartOf(empty))(learned[part as keyof Learned]))
}

const isPartOf = (empty: object) => (value: unknown) =>
  isObject<Record<string, unknown>>(value) &&
  Object.entries(value).every(([field, one]) => Object.hasOwn(empty, field) && orNull(isSafe)(one))

const isSafe = (value: unknown) => Number.isSafeInteger(value)

function isTaught(value: unknown): value is Taught {
  return isObject<Taught>(value) && isLearned(value.learned) && orNull(isUs)(value.everyUs) && orNull(isCost)(value.slots)
}

/** Stricter than what is kept: it may come from anybody, and what is learned on top of it has to stay whole numbers. */
export function isTaughtByAnybody(value: unknown): value is Taught {
  if (!isTaught(value)) return false
  const { costs = {}, version, ...parts } = value.learned
  const numbers = Object.values(parts).flatMap((part) => (typeof part === "object" ? Object.values(part) : [part]))
  const isSane = (most: number, least: number) => (one: unknown) => one === null || isWhole(one, least, most)
  const spent = Object.values(costs).flatMap((cost) => Object.values(cost))
  return [version, ...numbers].every(isSane(mostTaught, 0)) && spent.every(isSane(mostCost, -mostCost))
}

/** Times of the next century in microseconds; and costs in thousandths. */
const mostTaught = Number.MAX_SAFE_INTEGER / 2
const mostCost = 1e15

function isHolder(holder: unknown): boolean {
  return isObject<Holder>(holder) && isText(holder.id) && isCount(holder.fence) && isCost(holder.slots) && isUs(holder.untilUs)
}

function isRateState(state: unknown): boolean {
  if (!isObject<Record<string, unknown>>(state) || !isWhole(state.perUs, 1, lastUs)) return false
  switch (state.kind) {
    case "window":
      return isListOf(state.free, isFreeTime) && orNull(isUs)(state.rttMinUs) && orAbsent(isUs)(state.lagUs)
    case "fixed":
      return isUs(state.startUs) && isCount(state.used)
    case "bucket":
      return isCount(state.owed) && isUs(state.atUs)
    default:
      return false
  }
}

function isFreeTime(pair: unknown): boolean {
  return Array.isArray(pair) && pair.length === 2 && isUs(pair[0]) && isCost(pair[1])
}

export function isPolicy(policy: unknown): boolean {
  return (
    isObject<GatePolicy>(policy) &&
    isListOf(policy.rates, isRate) &&
    orNull(isCount)(policy.concurrency) &&
    orAbsent(isAdaptive)(policy.adaptive) &&
    orAbsent(isText)(policy.quota)
  )
}

const presets = { scout: scoutDefaults, linear: linearDefaults } as const satisfies Record<AdaptivePolicy["preset"], AdaptivePolicy>

/** What an older version did not know is missing: `wholePolicy` fills it in. */
const newNumber = "windowUs" satisfies keyof ScoutPolicy

function isAdaptive(value: unknown): boolean {
  if (!isObject<AdaptivePolicy>(value) || (value.preset !== "scout" && value.preset !== "linear")) return false
  const { preset: _preset, ...numbers } = value
  const { preset: _same, ...expected } = presets[value.preset]
  const isMissing = (name: string) => !Object.hasOwn(numbers, name) && name !== newNumber
  return isPartOf(expected)(numbers) && !Object.keys(expected).some(isMissing)
}

/** Only some parts of a policy, but of these every one. */
function isOverride(value: unknown): boolean {
  if (!isObject<GatePolicy>(value)) return false
  const parts = Object.keys(value)
  if (!parts.every((part) => part === "rates" || part === "concurrency")) return false
  return isPolicy({ rates: [], concurrency: null, ...value })
}

const providers: ReadonlySet<unknown> = new Set(["unknown", "sliding", "fixed", "bucket"] satisfies RatePolicy["provider"][])

function isRate(rate: unknown): boolean {
  return (
    isObject<RatePolicy>(rate) &&
    isCost(rate.limit) &&
    isWhole(rate.perUs, 1, lastUs) &&
    providers.has(rate.provider) &&
    isCost(rate.burst) &&
    [rate.phaseUs, rate.guardUs, rate.slackUs].every(isUs)
  )
}

export function isLimitRecord(value: unknown, name: string): value is LimitRecord {
  return (
    isObject<LimitRecord>(value) &&
    value.name === name &&
    isListOf(value.declarations, isDeclaration) &&
    isObject<LimitRecord["settings"]>(value.settings) &&
    Object.values(value.settings).every(isSetting) &&
    orAbsent((shares) => isListOf(shares, isShare))(value.shares)
  )
}

function isShare(value: unknown): boolean {
  return (
    isObject<OwnerShare>(value) &&
    isText(value.ownerId) &&
    isTime(value.seenAtMs) &&
    [value.leaseMs, value.fallbackMs].every(isCount) &&
    [value.told, value.said].every(isInterval) &&
    isFlag(value.isUsing) &&
    orNull((used) => isInterval(used) && isTime((used as Unknown<{ untilMs: unknown }>).untilMs))(value.used)
  )
}

function isInterval(value: unknown): boolean {
  return isObject<Interval>(value) && isWhole(value.from, 0, wholeShare) && isWhole(value.to, 0, wholeShare)
}

export function isCall(value: { readonly [field in keyof CallRecord]: unknown }): value is CallRecord {
  const { id, ownerId, limit, key, gate, cost, seq, leaseMs, grantedAtMs, untilMs } = value
  const isNamed = [id, ownerId, limit, key].every(isText) && limit !== ""
  return isNamed && [gate, seq, leaseMs].every(isCount) && isCost(cost) && orNull(isTime)(grantedAtMs) && isTime(untilMs)
}

function isDeclaration(value: unknown): boolean {
  return isObject<Declaration>(value) && isPolicy(value.policy) && isTime(value.seenAtMs)
}

function isSetting(setting: unknown): boolean {
  return (
    isObject<LimitSetting>(setting) &&
    orNull(isOverride)(setting.override) &&
    orNull(isTime)(setting.overrideUntilMs) &&
    isFlag(setting.isPaused) &&
    orNull(isTime)(setting.closedUntilMs)
  )
}

export function isChange(value: unknown): value is LoggedChange["change"] {
  if (!isObject<Record<string, unknown>>(value)) return false
  switch (value.kind) {
    case "set":
      return isOverride(value.override) && orNull(isTime)(value.untilMs)
    case "close":
      return isTime(value.untilMs)
    case "teach":
      return orNull(isCount)(value.version) && orNull(isTaught)(value.taught)
    case "base":
      return isPolicy(value.policy)
    default:
      return value.kind === "pause" || value.kind === "resume" || value.kind === "reset"
  }
}
