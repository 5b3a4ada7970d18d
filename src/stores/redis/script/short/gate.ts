// Gates that nobody waits at and that have learned nothing: slots, one rate that rolls, or both. Whoever passes and whoever settles changes
// a few numbers of them. What src/limits does with such a gate is done here on its bytes; every other gate is left to it.

import { noCooldown } from "../../../../limits/cooldown.ts"
import type { RatePolicy } from "../../../../limits/index.ts"
import { ceilTo, grainUs } from "../../../../limits/policy.ts"
import type { SettleRequest } from "../../../../store/exchange-contract.ts"
import { gateForgottenAfterMs } from "../../../../store/limit-records.ts"
import { hasSettings, inForce, type LimitRecord } from "../../../../store/policies.ts"
import { jobLimit } from "../../../../task/index.ts"
import { digits, sortable } from "../lua.ts"
import { unpacked } from "../packed.ts"
import { isId, isWhole, type SentSettle, wholeSettle } from "../sent-settle.ts"
import { redis } from "../server.ts"
import { char, falses, len, pack, packTime, packWhole, sub, unpackFive, unpackFour, unpackNine, unpackOne, unpackTwo } from "./bytes.ts"
import { heldOf, noHolder, withHolder, withoutHolder } from "./holder-bytes.ts"
import type { Plan } from "./plan.ts"
import { chargedRate, type Echoed, echoedRate, settledRate, usedOf } from "./rate-bytes.ts"

/** What holds for all gates of a limit. */
export interface ShortLimit {
  readonly name: string
  readonly rate: RatePolicy | null
  readonly concurrency: number | null
  /** When what is charged now is free again. */
  readonly freeAtUs: number
}

/** So long a gate is written without being moved among the idle ones, as in gate-table.ts. */
const idleLagMs = gateForgottenAfterMs / 2
const none = falses(1)
const noCalls = falses(2)
/** An array of one array of five. */
const oneRow = char(0x91, 0x95)
const noRate = noHolder
const oneRate = pack(1)
/** It does not stand among the idle ones. */
const neverIdle = pack(0)
/** Never held, never closed, never refused. */
const unused = pack(0, 0, 0, noCooldown.reactedAtUs)

/** Makes a gate that is not there. */
type MakeGate = (this: void, name: string, limit: ShortLimit) => string | null

/** Reads those that are not known yet, in one go. A gate is its text, here and until it is written. */
export function readGates(plan: Plan, names: readonly string[], limits: readonly string[], make: MakeGate = noGate): boolean {
  const { gates } = plan
  const asked: string[] = []
  const of: ShortLimit[] = []
  let [last, limit]: [string, ShortLimit | null] = ["", null]
  for (let i = 0; i < names.length; i++) {
    const name = names[i] as string
    if (gates[name] !== undefined) continue
    if (limits[i] !== last) {
      last = limits[i] as string
      limit = limitOf(plan, last)
    }
    if (!limit) return false
    // Until it is read: named twice, it is read once.
    gates[name] = ""
    asked[asked.length] = name
    of[of.length] = limit
  }
  if (asked.length === 0) return true
  const texts = redis.call("HMGET", `${plan.base}gates`, ...asked) as (string | false)[]
  for (let i = 0; i < asked.length; i++) {
    const name = asked[i] as string
    const text = texts[i] as string | false
    const gate = text === false ? make(name, of[i] as ShortLimit) : text
    if (gate === null) return false
    gates[name] = gate
  }
  return true
}

function noGate(this: void): null {
  return null
}

export function nameOf(limit: string, key: string): string {
  return key === "" ? limit : `${limit}/${key}`
}

/** Null where its limit is no plain one. */
export function limitOf(plan: Plan, name: string): ShortLimit | null {
  const known = plan.shortLimits[name]
  if (known !== undefined) return known
  if (name === jobLimit) return null
  const text = redis.call("HGET", `${plan.base}limits`, name) as string | false
  if (text === false) return null
  const limit = unpacked<LimitRecord>(text, "limits", name)
  if (limit.shares || hasSettings(limit)) return null
  const { policy, closedUntilUs } = inForce(limit, "", plan.nowMs)
  const { rates, concurrency, adaptive } = policy
  const nowUs = plan.nowMs * 1_000
  if (adaptive || policy.counted || closedUntilUs > nowUs || rates.length > 1) return null
  const rate = rates[0] ?? null
  if (!rate && concurrency === null) return null
  if (rate && rate.provider !== "sliding" && rate.provider !== "unknown") return null
  const freeAtUs = rate ? freeAt(rate, nowUs) : 0
  const made: ShortLimit = { name, rate, concurrency, freeAtUs }
  plan.shortLimits[name] = made
  return made
}

function freeAt(rate: RatePolicy, atUs: number): number {
  return ceilTo(atUs + rate.perUs + (rate.provider === "unknown" ? rate.slackUs : 0), grainUs(rate))
}

/** One that nobody has used yet. */
export function newGate({ rate }: ShortLimit, number: number, nowMs: number): string {
  const rates = rate ? oneRate + pack(pack([1, rate.perUs, -1, -1, 0])) : noRate
  return pack(number) + pack(nowMs) + neverIdle + noCalls + none + none + unused + noHolder + rates + none
}

/** Who comes to pass. */
export interface Passing {
  id: string
  cost: number
  untilUs: number
  /** What the gate has of those who wait with it, before how many they are. */
  row: string
}

/** Who comes to wait. */
export interface Joining {
  cost: number
  type: string
  flow: string
  priority: number
}

/** How a gate's tail, which is all behind those who wait there, has changed: for that limit, cost and time, where nobody holds a slot. */
export interface TailChange {
  limit: string
  cost: number
  atUs: number
  before: string
  after: string
}

export function rowOf(type: string, flow: string, priority: number): string {
  return oneRow + pack(type) + pack(flow) + pack(priority)
}

/** Whether the task passes; where it does not, or something is not as usual, the whole step is not for the short way. */
export function passGate(plan: Plan, limit: ShortLimit, name: string, passing: Passing): boolean {
  const { nowMs } = plan
  const { cost, row } = passing
  const text = plan.gates[name] as string
  const [rows, number, , idle, types, hasCalls] = unpackFive(text, 5, 0)
  const counts = rows + len(row)
  if (types !== false || hasCalls !== false || sub(text, rows + 1, counts) !== row || !(cost > 0)) return false
  const [sums, waiting, waitingCost] = unpackTwo(text, 2, counts)
  const tail = passedTail(plan, limit, passing, sub(text, sums + 1))
  if (tail === null) return false
  const isLast = waiting === 1
  const left = isLast ? none : row + packWhole((waiting as number) - 1) + packWhole((waitingCost as number) - cost)
  let idleSinceMs = idle as number
  if (isLast && (idleSinceMs === 0 || nowMs - idleSinceMs >= idleLagMs)) idleSinceMs = goIdle(plan, number as number)
  plan.gates[name] = packWhole(number as number) + plan.now + packTime(idleSinceMs) + noCalls + left + tail
  change(plan, name)
  countLimit(plan, limit.name, -1)
  return true
}

function passedTail({ nowMs, passed }: Plan, limit: ShortLimit, passing: Passing, tail: string): string | null {
  const { name, rate, concurrency } = limit
  const { cost } = passing
  if (tail === passed.before && passed.limit === name && passed.cost === cost) return passed.after
  const nowUs = nowMs * 1_000
  const [end, holdUs, closedUntilUs, cooldowns, reactedAtUs, count, held, rateCount, rated, rare] = unpackNine(tail, 9, 1)
  if (end !== -1 || sub(tail, 1, 1) !== none || cooldowns !== 0 || rare !== false) return null
  if (!((closedUntilUs as number) <= nowUs) || rateCount !== (rate ? 1 : 0)) return null
  let rates = noRate
  if (rate) {
    const charged = cost <= rate.limit ? chargedRate(rate, rated as string, nowUs, limit.freeAtUs, cost) : null
    if (charged === null) return null
    rates = oneRate + pack(charged)
  }
  let holders: string | null = count === 0 ? noHolder : pack(count, held)
  if (concurrency !== null) holders = withHolder(held, concurrency, nowUs, passing, rate ? 1 : cost)
  if (holders === null) return null
  const after = none + numbersOf(holdUs, closedUntilUs, reactedAtUs) + holders + rates + none
  if (concurrency === null) keep(passed, name, cost, 0, tail, after)
  return after
}

function keep(change: TailChange, limit: string, cost: number, atUs: number, before: string, after: string): void {
  change.limit = limit
  change.cost = cost
  change.atUs = atUs
  change.before = before
  change.after = after
}

/** The run is over. Whether that is all that there is to say. */
export function leaveGate(plan: Plan, limit: ShortLimit, name: string, settle: SentSettle, admittedAtUs: number, cost: number): boolean {
  const { nowMs } = plan
  const text = plan.gates[name] as string
  const [touched, number] = unpackOne(text, 1, 0)
  const [rows, , idle, types, hasCalls] = unpackFour(text, 4, touched)
  if (types !== false || hasCalls !== false) return false
  let sums = rows + 1
  if (sub(text, rows + 1, rows + 2) === oneRow) [sums] = unpackFive(text, 5, rows + 2)
  else if (sub(text, rows + 1, rows + 1) !== none) return false
  const before = sub(text, sums + 1)
  const tail = leftTail(plan, limit, settle, admittedAtUs, cost, before)
  if (tail === null) return false
  change(plan, name)
  const isMoved = sums === rows + 1 && (idle === 0 || nowMs - (idle as number) >= idleLagMs)
  const idleSinceMs = isMoved ? goIdle(plan, number as number) : (idle as number)
  const opening = sub(text, 1, touched) + plan.now + packTime(idleSinceMs) + noCalls
  plan.gates[name] = opening + (tail === before ? sub(text, rows + 1) : sub(text, rows + 1, sums) + tail)
  return true
}

function leftTail(
  { nowMs, left }: Plan,
  { name, rate, concurrency }: ShortLimit,
  sent: SentSettle,
  admittedAtUs: number,
  cost: number,
  tail: string,
): string | null {
  const isPlain = isId(sent) || !isWhole(sent)
  if (isPlain && tail === left.before && left.limit === name && left.cost === cost && left.atUs === admittedAtUs) return left.after
  const nowUs = nowMs * 1_000
  const [end, holdUs, closedUntilUs, cooldowns, reactedAtUs, count, held, rateCount, rated, rare] = unpackNine(tail, 9, 1)
  if (end !== -1 || sub(tail, 1, 1) !== none || cooldowns !== 0 || rare !== false || rateCount !== (rate ? 1 : 0)) return null
  const settle = wholeSettle(sent)
  let settled: string | null = ""
  if (rate) {
    if (settle.rttMs !== null) return null
    const fromUs = freeAt(rate, admittedAtUs)
    settled =
      rate.provider === "unknown"
        ? echoedRate(rate, rated as string, nowUs, fromUs, echoOf(settle, nowUs, admittedAtUs), cost)
        : settledRate(rate, rated as string, nowUs, fromUs, cost)
    if (settled === null) return null
  }
  const isFree = held === false && concurrency === null
  let numbers = numbersOf(holdUs, closedUntilUs, reactedAtUs)
  let holders = noHolder
  if (!isFree) {
    const others = held === false ? null : withoutHolder(held as string, count as number, settle)
    if (others === null) return null
    const heldUs = Math.max(0, nowUs - admittedAtUs)
    const before = holdUs as number
    numbers = numbersOf(before === 0 ? heldUs : before + Math.trunc((heldUs - before) / 8), closedUntilUs, reactedAtUs)
    holders = others
  }
  const isSame = isFree && settled === rated
  const after = isSame ? tail : none + numbers + holders + (rate ? oneRate + pack(settled) : noRate) + none
  if (isFree && isPlain && rate?.provider === "sliding") keep(left, name, cost, admittedAtUs, tail, after)
  return after
}

/** Ages are told, because clocks differ. Nothing was sent before it was admitted. */
function echoOf({ sentAgoMs, respondedAgoMs }: SettleRequest, nowUs: number, admittedAtUs: number): Echoed {
  return {
    admittedAtUs,
    sentAtUs: sentAgoMs === null ? null : Math.max(admittedAtUs, nowUs - Math.round(sentAgoMs * 1_000)),
    respondedAtUs: respondedAgoMs === null ? null : Math.max(admittedAtUs, nowUs - Math.round(respondedAgoMs * 1_000)),
  }
}

/**
 * A task comes to wait behind all who wait there. Whether nothing will hold it back: when it would start is told by src/limits where
 * something does, or where others wait there as well.
 */
export function joinGate(plan: Plan, limit: ShortLimit, name: string, joining: Joining): boolean {
  const { rate, concurrency } = limit
  const { cost } = joining
  const nowUs = plan.nowMs * 1_000
  const text = plan.gates[name] as string
  const [rows, , , , types, hasCalls] = unpackFive(text, 5, 0)
  let sums = rows + 1
  let [type, flow, priority, tasks, ahead]: unknown[] = [joining.type, joining.flow, joining.priority, 0, 0]
  if (sub(text, rows + 1, rows + 2) === oneRow) [sums, type, flow, priority, tasks, ahead] = unpackFive(text, 5, rows + 2)
  else if (sub(text, rows + 1, rows + 1) !== none) return false
  if (type !== joining.type || flow !== joining.flow || priority !== joining.priority || !(cost > 0)) return false
  const [end, , closedUntilUs, cooldowns, , , held, rateCount, rated, rare] = unpackNine(text, 9, sums + 1)
  if (types !== false || hasCalls !== false || sub(text, sums + 1, sums + 1) !== none) return false
  if (end !== -1 || cooldowns !== 0 || rare !== false || rateCount !== (rate ? 1 : 0) || !((closedUntilUs as number) <= nowUs)) return false
  const [waiting, waitingCost] = [(tasks as number) + 1, (ahead as number) + cost]
  if (rate) {
    const used = usedOf(rate, rated as string, nowUs)
    if (used === null || used + waitingCost > rate.limit) return false
  }
  if (concurrency !== null && heldOf(held, nowUs) + (rate ? waiting : waitingCost) > concurrency) return false
  plan.gates[name] = sub(text, 1, rows) + oneRow + pack(type, flow, priority, waiting, waitingCost) + sub(text, sums + 1)
  change(plan, name)
  countLimit(plan, limit.name, 1)
  return true
}

function change(plan: Plan, name: string): void {
  if (plan.isGateChanged[name]) return
  plan.isGateChanged[name] = true
  plan.changedGates[plan.changedGates.length] = name
}

function countLimit(plan: Plan, limit: string, more: number): void {
  const { limits, moreOfLimit } = plan
  if (moreOfLimit[limit] === undefined) limits.push(limit)
  moreOfLimit[limit] = (moreOfLimit[limit] ?? 0) + more
}

/** Nobody waits there any more: since when. */
function goIdle({ idleGates, nowMs }: Plan, number: number): number {
  idleGates.push(digits(nowMs), sortable(number))
  return nowMs
}

function numbersOf(holdUs: unknown, closedUntilUs: unknown, reactedAtUs: unknown): string {
  if (holdUs === 0 && closedUntilUs === 0 && reactedAtUs === noCooldown.reactedAtUs) return unused
  return pack(holdUs, closedUntilUs, 0, reactedAtUs)
}
