// Gates that nobody waits at and that have learned nothing: slots, one rate that rolls, or both. Whoever passes and whoever settles changes
// a few numbers of them. What src/limits does with such a gate is done here on its bytes; every other gate is left to it.

import { noCooldown } from "../../../../limits/cooldown.ts"
import type { RatePolicy } from "../../../../limits/index.ts"
import { ceilTo, grainUs } from "../../../../limits/policy.ts"
import type { SettleRequest } from "../../../../store/contract.ts"
import { hasSettings, inForce, type LimitRecord } from "../../../../store/policies.ts"
import { jobLimit } from "../../../../task/index.ts"
import { unpacked } from "../packed.ts"
import { redis } from "../server.ts"
import { arrayAt, char, falses, pack, sub, unpackFive, unpackFour, unpackList, unpackNine } from "./bytes.ts"
import type { Plan } from "./plan.ts"

/** What holds for all gates of a limit. */
export interface ShortLimit {
  readonly name: string
  readonly rate: RatePolicy | null
  readonly concurrency: number | null
  /** When what is charged now is free again. */
  readonly freeAtUs: number
}

export interface ShortGate {
  readonly name: string
  readonly limit: ShortLimit
  readonly number: number
  readonly touchedAtMs: number
  idleSinceMs: number
  /** Who waits in lanes that pass it, all of one kind: how many, and what they cost. */
  type: unknown
  flow: unknown
  priority: unknown
  waiting: number
  waitingCost: number
  holdUs: number
  readonly closedUntilUs: number
  readonly reactedAtUs: number
  holderCount: number
  holders: string
  readonly hasRate: boolean
  rates: string
  isChanged: boolean
  /** What is left of the rate and of the slots at this moment; below 0 until somebody asks. */
  rateLeft: number
  slotsLeft: number
}

const none = falses(1)
const noCalls = falses(2)
/** An array of one array of five. */
const oneRow = char(0x91, 0x95)
const noRate = pack(0) + none
const oneRate = pack(1)

/** Makes a gate that is not there. */
type MakeGate = (this: void, plan: Plan, name: string, limit: ShortLimit) => ShortGate | null

/** Reads those that are not known yet, in one go. */
export function readGates(plan: Plan, names: readonly string[], limits: readonly string[], make: MakeGate = noGate): boolean {
  const asked: string[] = []
  const of: string[] = []
  const isAsked: Record<string, boolean | undefined> = {}
  for (let i = 0; i < names.length; i++) {
    const name = names[i] as string
    if (plan.gates[name] !== undefined || isAsked[name]) continue
    isAsked[name] = true
    asked.push(name)
    of.push(limits[i] as string)
  }
  if (asked.length === 0) return true
  const texts = redis.call("HMGET", `${plan.base}gates`, ...asked) as (string | false)[]
  for (let i = 0; i < asked.length; i++) {
    const limit = limitOf(plan, of[i] as string)
    const [name, text] = [asked[i] as string, texts[i] as string | false]
    const gate = limit && (text === false ? make(plan, name, limit) : readGate(name, limit, text, plan.nowMs * 1_000))
    if (!gate) return false
    plan.gates[gate.name] = gate
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
function limitOf(plan: Plan, name: string): ShortLimit | null {
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
  if (adaptive || closedUntilUs > nowUs || rates.length > 1) return null
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

/** Null where it is no plain one. */
function readGate(name: string, limit: ShortLimit, text: string, nowUs: number): ShortGate | null {
  const [rows, number, touchedAtMs, idleSinceMs, types, hasCalls] = unpackFive(text, 5, 0)
  if (types !== false || hasCalls !== false) return null
  let behind = rows + 1
  let [type, flow, priority, waiting, waitingCost]: unknown[] = [false, false, false, 0, 0]
  if (sub(text, rows + 1, rows + 2) === oneRow) [behind, type, flow, priority, waiting, waitingCost] = unpackFive(text, 5, rows + 2)
  else if (sub(text, rows + 1, rows + 1) !== none) return null
  // Who waits at all, which only many have.
  if (sub(text, behind + 1, behind + 1) !== none) return null
  const [end, holdUs, closedUntilUs, cooldowns, reactedAtUs, holderCount, held, rateCount, rated, rare] = unpackNine(text, 9, behind + 1)
  if (end !== -1 || cooldowns !== 0 || rare !== false || !((closedUntilUs as number) <= nowUs)) return null
  if (typeof number !== "number" || typeof holderCount !== "number" || typeof holdUs !== "number" || !(holdUs >= 0)) return null
  if (rateCount !== (limit.rate ? 1 : 0) || (held === false) !== (holderCount === 0)) return null
  return {
    name,
    limit,
    number,
    touchedAtMs: touchedAtMs as number,
    idleSinceMs: idleSinceMs as number,
    type,
    flow,
    priority,
    waiting: waiting as number,
    waitingCost: waitingCost as number,
    holdUs,
    closedUntilUs: closedUntilUs as number,
    reactedAtUs: reactedAtUs as number,
    holderCount,
    holders: held === false ? "" : (held as string),
    hasRate: rateCount === 1,
    rates: rated === false ? "" : (rated as string),
    isChanged: false,
    rateLeft: -1,
    slotsLeft: -1,
  }
}

/** One that nobody has used yet. */
export function newGate(name: string, limit: ShortLimit, number: number, nowMs: number): ShortGate {
  const { rate } = limit
  return {
    name,
    limit,
    number,
    touchedAtMs: nowMs,
    idleSinceMs: 0,
    type: false,
    flow: false,
    priority: false,
    waiting: 0,
    waitingCost: 0,
    holdUs: 0,
    closedUntilUs: 0,
    reactedAtUs: noCooldown.reactedAtUs,
    holderCount: 0,
    holders: "",
    hasRate: rate !== null,
    rates: rate ? pack([1, rate.perUs, -1, -1, 0]) : "",
    isChanged: false,
    rateLeft: -1,
    slotsLeft: -1,
  }
}

/**
 * A task comes to wait behind all who wait there. Whether nothing will hold it back: when it would start is told by src/limits where
 * something does, or where others wait there as well.
 */
export function joinGate(plan: Plan, gate: ShortGate, type: string, flow: string, priority: number, cost: number): boolean {
  const { rate, concurrency } = gate.limit
  const nowUs = plan.nowMs * 1_000
  if (gate.waiting === 0) {
    gate.type = type
    gate.flow = flow
    gate.priority = priority
  } else if (gate.type !== type || gate.flow !== flow || gate.priority !== priority) return false
  if (!(cost > 0)) return false
  if (rate) {
    if (gate.rateLeft < 0) gate.rateLeft = rate.limit - usedOf(gate.rates, nowUs)
    if (gate.waitingCost + cost > gate.rateLeft) return false
  }
  if (concurrency !== null) {
    if (gate.slotsLeft < 0) gate.slotsLeft = concurrency - heldAt(gate, nowUs)
    if ((rate ? 1 + gate.waiting : cost + gate.waitingCost) > gate.slotsLeft) return false
  }
  gate.waiting += 1
  gate.waitingCost += cost
  const { name } = gate.limit
  if (plan.leftLimit[name] === undefined) {
    plan.limits.push(name)
    plan.leftLimit[name] = 0
  }
  plan.leftLimit[name] = (plan.leftLimit[name] as number) - 1
  change(plan, gate)
  return true
}

function usedOf(text: string, nowUs: number): number {
  const [size, headBytes] = arrayAt(text, 1)
  if (size === rateHead) return 0
  const flat = unpackList(text, size, headBytes) as number[]
  let [used, atUs] = [0, 0]
  for (let i = rateHead; i < size; i += 2) {
    atUs += flat[i] as number
    if (atUs > nowUs) used += flat[i + 1] as number
  }
  return used
}

function heldAt({ holders, holderCount }: ShortGate, nowUs: number): number {
  let [held, offset] = [0, holderCount > 0 ? 0 : -1]
  while (offset !== -1) {
    const [next, , , taken, endUs] = unpackFour(holders, 4, offset)
    if ((endUs as number) > nowUs) held += taken as number
    offset = next
  }
  return held
}

/** Whether the task passes; where it does not, or something is not as usual, the whole step is not for the short way. */
export function passGate(
  plan: Plan,
  gate: ShortGate,
  id: string,
  cost: number,
  untilUs: number,
  type: string,
  flow: string,
  priority: number,
): boolean {
  const { limit } = gate
  const { rate, concurrency } = limit
  const nowUs = plan.nowMs * 1_000
  if (gate.type !== type || gate.flow !== flow || gate.priority !== priority || gate.waiting < 1 || !(cost > 0)) return false
  if (rate) {
    const charged = cost <= rate.limit ? chargedRate(rate, gate.rates, nowUs, limit.freeAtUs, cost) : null
    if (charged === null) return false
    gate.rates = charged
  }
  if (concurrency !== null && !takeSlots(gate, concurrency, nowUs, id, rate ? 1 : cost, untilUs)) return false
  gate.waiting -= 1
  gate.waitingCost -= cost
  if (plan.leftLimit[limit.name] === undefined) {
    plan.limits.push(limit.name)
    plan.leftLimit[limit.name] = 0
  }
  plan.leftLimit[limit.name] = (plan.leftLimit[limit.name] as number) + 1
  change(plan, gate)
  return true
}

/** The run is over. Whether that is all that there is to say. */
export function leaveGate(plan: Plan, gate: ShortGate, settle: SettleRequest, admittedAtUs: number, cost: number): boolean {
  const { limit } = gate
  const { rate, concurrency } = limit
  const nowUs = plan.nowMs * 1_000
  const isHeld = gate.holderCount > 0 || concurrency !== null
  if (isHeld && !leaveSlots(gate, settle.id, settle.fence, nowUs, admittedAtUs)) return false
  if (rate) {
    const { sentAgoMs, respondedAgoMs, rttMs } = settle
    if (rttMs !== null || (rate.provider === "unknown" && (sentAgoMs !== null || respondedAgoMs !== null))) return false
    const settled = settledRate(rate, gate.rates, nowUs, freeAt(rate, admittedAtUs), cost)
    if (settled === null) return false
    gate.rates = settled
  }
  change(plan, gate)
  return true
}

function change(plan: Plan, gate: ShortGate): void {
  if (gate.isChanged) return
  gate.isChanged = true
  plan.changedGates.push(gate)
}

/** What stands before the free times: kind, length, shortest answer, lag and how many there are. */
const rateHead = 5

/** The rate with one more charge; null where it does not fit, or is no rate that rolls. */
function chargedRate(rate: RatePolicy, text: string, nowUs: number, freeAtUs: number, cost: number): string | null {
  const [size, headBytes] = arrayAt(text, 1)
  const flat = unpackList(text, size, headBytes) as number[]
  if (flat[0] !== 1 || flat[1] !== rate.perUs) return null
  const live: number[] = [1, rate.perUs, flat[2] as number, flat[3] as number, 0]
  let [used, atUs, before] = [0, 0, 0]
  let to = rateHead
  for (let i = rateHead; i < size; i += 2) {
    atUs += flat[i] as number
    if (atUs <= nowUs) continue
    used += flat[i + 1] as number
    live[to] = atUs - before
    live[to + 1] = flat[i + 1] as number
    before = atUs
    to += 2
  }
  // Times are charged in their order, but where a policy was changed.
  if (used + cost > rate.limit || before > freeAtUs) return null
  if (before === freeAtUs && to > rateHead) live[to - 1] = (live[to - 1] as number) + cost
  else {
    live[to] = freeAtUs - before
    live[to + 1] = cost
    to += 2
  }
  live[4] = (to - rateHead) / 2
  return pack(live)
}

/** The rate once a charge is known to have been right; null where that was moved or is not there. */
function settledRate(rate: RatePolicy, text: string, nowUs: number, freeAtUs: number, cost: number): string | null {
  if (freeAtUs <= nowUs) return text
  const [size, headBytes] = arrayAt(text, 1)
  const flat = unpackList(text, size, headBytes) as number[]
  if (flat[0] !== 1 || flat[1] !== rate.perUs) return null
  let atUs = 0
  let isThere = false
  let isOver = false
  for (let i = rateHead; i < size; i += 2) {
    atUs += flat[i] as number
    if (atUs <= nowUs) isOver = true
    if (atUs === freeAtUs && (flat[i + 1] as number) >= cost) isThere = true
  }
  if (!isThere) return null
  return isOver ? pruned(flat, size, nowUs) : text
}

function pruned(flat: readonly number[], size: number, nowUs: number): string {
  const live: number[] = [flat[0] as number, flat[1] as number, flat[2] as number, flat[3] as number, 0]
  let [atUs, before, to] = [0, 0, rateHead]
  for (let i = rateHead; i < size; i += 2) {
    atUs += flat[i] as number
    if (atUs <= nowUs) continue
    live[to] = atUs - before
    live[to + 1] = flat[i + 1] as number
    before = atUs
    to += 2
  }
  live[4] = (to - rateHead) / 2
  return pack(live)
}

/** Those whose lease has ended hold nothing any more. */
function takeSlots(gate: ShortGate, concurrency: number, nowUs: number, id: string, slots: number, untilUs: number): boolean {
  const { holders } = gate
  let live = ""
  let [held, count, offset] = [0, 0, gate.holderCount > 0 ? 0 : -1]
  while (offset !== -1) {
    const [next, , , taken, endUs] = unpackFour(holders, 4, offset)
    if ((endUs as number) > nowUs) {
      held += taken as number
      count++
      live += sub(holders, offset + 1, next)
    }
    offset = next
  }
  if (held + slots > concurrency) return false
  gate.holders = live + pack(id, 1, slots, untilUs)
  gate.holderCount = count + 1
  return true
}

/** False where it has none. */
function leaveSlots(gate: ShortGate, id: string, fence: number, nowUs: number, admittedAtUs: number): boolean {
  const { holders, holdUs } = gate
  let offset = gate.holderCount > 0 ? 0 : -1
  while (offset !== -1) {
    const [next, holder, held] = unpackFour(holders, 4, offset)
    if (holder === id && held === fence) {
      gate.holders = sub(holders, 1, offset) + (next === -1 ? "" : sub(holders, next + 1))
      gate.holderCount -= 1
      const heldUs = Math.max(0, nowUs - admittedAtUs)
      gate.holdUs = holdUs === 0 ? heldUs : holdUs + Math.trunc((heldUs - holdUs) / 8)
      return true
    }
    offset = next
  }
  return false
}

/** As it is kept. */
export function gateText(gate: ShortGate, at: string): string {
  const { waiting, holderCount } = gate
  const rows = waiting > 0 ? oneRow + pack(gate.type, gate.flow, gate.priority, waiting, gate.waitingCost) : none
  const holders = holderCount > 0 ? pack(holderCount, gate.holders) : noRate
  const rates = gate.hasRate ? oneRate + pack(gate.rates) : noRate
  const numbers = pack(gate.holdUs, gate.closedUntilUs, 0, gate.reactedAtUs)
  return pack(gate.number) + at + pack(gate.idleSinceMs) + noCalls + rows + none + numbers + holders + rates + none
}
