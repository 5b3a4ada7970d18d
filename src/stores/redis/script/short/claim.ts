// A claim for tasks that wait in one flow of one type: its lanes are gone through by their heads, and what is taken from them starts.
// Whatever is due, out of order, or may be refused is left to the engine, which knows what to do with it.

import { turn } from "../../../../store/claim.ts"
import { budgets, type ClaimRequest } from "../../../../store/contract.ts"
import { tonumber } from "../builtins.ts"
import { flowMember, flowName } from "../places.ts"
import { redis } from "../server.ts"
import { arrayAt, sub, unpackOne, unpackThree } from "./bytes.ts"
import { passGate, readGates, type ShortGate } from "./gate.ts"
import { idsOf } from "./ids.ts"
import { isBefore, isEmpty, memberOf, readLane, readSeqs, type ShortLane } from "./lane.ts"
import { countType, type Plan } from "./plan.ts"
import { newStarts, readFresh, type Starts, start } from "./starts.ts"

/** What a claim takes, and what it has met on the way. */
export interface Claim {
  readonly asked: ClaimRequest
  /** When something is due, whose gate opens then ("": none's); -1: nothing will be. */
  nextAtMs: number
  nextGate: string
  touched: number
  more: boolean
  taken: Taken | null
}

/** What is taken from a flow. */
export interface Taken {
  readonly type: string
  readonly flow: string
  readonly name: string
  /** As the flow stood, and as it stands now; "" where nobody is left in it. */
  readonly before: string
  readonly member: string
  readonly waiting: number
  readonly virtualTime: number
  readonly flowTime: number
  readonly lanes: readonly ShortLane[]
  readonly starts: Starts
}

/** Gates that only a change of their limit can open are nothing to wait for. */
const neverMs = Math.ceil(Number.MAX_SAFE_INTEGER / 1_000)

/** Null where the claim is not for the short way. */
export function planClaim(plan: Plan, asked: ClaimRequest, leaseMs: number): Claim | null {
  if (asked.number <= latestClaim(plan)) return null
  const claim: Claim = { asked, nextAtMs: -1, nextGate: "", touched: 0, more: false, taken: null }
  const max = Math.min(asked.max, budgets.claimTasks)
  const isAsked: Record<string, boolean | undefined> = {}
  let from = ""
  let before = ""
  let wanted = 0
  let room = 0
  for (const one of asked.types) {
    const { type } = one
    if (isAsked[type] || !lookAhead(plan, claim, type, one.room)) return null
    isAsked[type] = true
    if (one.room <= 0 || max <= 0) continue
    const flows = redis.call("ZRANGE", `${plan.base}flows:0:${type}`, 0, 1) as string[]
    const [first] = flows
    if (first === undefined) continue
    if (flows.length > 1 || before !== "") return null
    from = type
    before = first
    room = one.room
    wanted = Math.min(max, room)
  }
  if (before === "") return claim
  const starts = newStarts(plan, asked.number, leaseMs)
  const taken = takeFrom(plan, claim, from, before, wanted, starts)
  if (!taken || !passGates(plan, starts)) return null
  countType(plan, plan.claimed, from, plan.started.length)
  claim.more = room > plan.started.length && taken.member !== ""
  claim.taken = taken
  return claim
}

function latestClaim({ base, workerId }: Plan): number {
  const text = redis.call("HGET", `${base}workers`, workerId) as string | false
  if (text === false) return 0
  const [, bytes] = arrayAt(text, 1)
  const [, number] = unpackOne(text, 1, bytes)
  return number as number
}

/** Whether nothing of the type is due; notes when something will be. */
function lookAhead({ base, nowMs }: Plan, claim: Claim, type: string, room: number): boolean {
  const [, due] = redis.call("ZRANGE", `${base}due:${type}`, 0, 0, "WITHSCORES") as string[]
  if (due !== undefined) {
    const atMs = tonumber(due)
    if (atMs <= nowMs) return false
    if (claim.nextAtMs < 0 || atMs < claim.nextAtMs) {
      claim.nextAtMs = atMs
      claim.nextGate = ""
    }
  }
  const [gate, opening] = redis.call("ZRANGE", `${base}dues:${type}`, 0, 0, "WITHSCORES") as string[]
  if (opening === undefined || gate === undefined) return true
  const atMs = tonumber(opening)
  if (atMs <= nowMs) return false
  if (room <= 0 || atMs >= neverMs || (claim.nextAtMs >= 0 && atMs >= claim.nextAtMs)) return true
  claim.nextAtMs = atMs
  claim.nextGate = gate
  return true
}

function takeFrom(plan: Plan, claim: Claim, type: string, before: string, wanted: number, starts: Starts): Taken | null {
  const { base } = plan
  const flow = sub(before, 54)
  const name = flowName(type, flow)
  const text = redis.call("HGET", `${base}flows`, `0:${name}`) as string | false
  if (text === false) return null
  const [, time, waiting, member] = unpackThree(text, 3, 1)
  if (member !== before || typeof time !== "number") return null
  // One more than can be needed, so that who is first among those that are left is always known.
  const members = redis.call("ZRANGE", `${base}lanes:0:${name}`, 0, wanted) as string[]
  const lanes = readLanes(plan, type, flow, members, wanted)
  if (!lanes || lanes.length === 0) return null
  claim.touched += 1 + lanes.length
  const first = takeHeads(plan, starts, lanes, wanted)
  if (first === null) return null
  const count = plan.started.length
  const virtualTime = Math.max(plan.context.meta.number("time"), time) + (count - 1) * turn
  const flowTime = virtualTime + turn
  const after = first === false ? "" : flowMember(memberOf(first), flowTime, flow)
  claim.touched += count
  return { type, flow, name, before, member: after, waiting: waiting as number, virtualTime, flowTime, lanes, starts }
}

function readLanes(plan: Plan, type: string, flow: string, members: readonly string[], wanted: number): ShortLane[] | null {
  const numbers: string[] = []
  for (let i = 0; i < members.length; i++) numbers[i] = sub(members[i] as string, 38)
  if (numbers.length === 0) return null
  const texts = redis.call("HMGET", `${plan.base}lanes`, ...numbers) as (string | false)[]
  const each = members.length === 1 ? wanted + 1 : Math.ceil(wanted / members.length) + 1
  const lanes: ShortLane[] = []
  const seqs: number[] = []
  let at = 0
  for (let i = 0; i < members.length; i++) {
    const lane = readLane(plan.base, type, flow, members[i] as string, texts[i] as string | false, each)
    if (!lane) return null
    lanes[i] = lane
    for (let j = 0; j < lane.seqs.length; j++) {
      seqs[at] = lane.seqs[j] as number
      at++
    }
  }
  const ids = idsOf(plan.base, seqs)
  if (!ids) return null
  const values = redis.call("HMGET", `${plan.base}tasks`, ...ids) as string[]
  at = 0
  for (const lane of lanes) {
    for (let j = 0; j < lane.seqs.length; j++) {
      lane.ids[j] = ids[at] as string
      lane.values[j] = values[at] as string
      at++
    }
  }
  return lanes
}

/** More of the lane's tasks. */
function readOn(plan: Plan, lane: ShortLane, wanted: number): boolean {
  const from = lane.seqs.length
  readSeqs(plan.base, lane, wanted)
  const seqs: number[] = []
  for (let i = from; i < lane.seqs.length; i++) seqs.push(lane.seqs[i] as number)
  if (seqs.length === 0) return true
  const ids = idsOf(plan.base, seqs)
  if (!ids) return false
  const values = redis.call("HMGET", `${plan.base}tasks`, ...ids) as string[]
  for (let i = 0; i < ids.length; i++) {
    lane.ids[from + i] = ids[i] as string
    lane.values[from + i] = values[i] as string
  }
  return true
}

/**
 * Takes the first of all heads, again and again. Answers with the lane that is first then, false where nobody is left, null where a task is
 * not for the short way.
 */
function takeHeads(plan: Plan, starts: Starts, lanes: readonly ShortLane[], wanted: number): ShortLane | false | null {
  const line: ShortLane[] = []
  for (let i = 0; i < lanes.length; i++) line[i] = lanes[i] as ShortLane
  let first = 0
  let count = 0
  let lane = line[0]
  while (count < wanted && lane !== undefined) {
    const at = lane.taken
    const seq = lane.seqs[at] as number
    const value = lane.values[at] as string
    const [offset, createdAtMs, available] = readFresh(lane, seq, value)
    if (offset < 0 || !start(plan, starts, lane, lane.ids[at] as string, seq, value, offset, createdAtMs, available)) return null
    lane.taken = at + 1
    count++
    if (at + 1 >= lane.seqs.length && !lane.isRead && !readOn(plan, lane, wanted - count + 1)) return null
    if (isEmpty(lane)) first++
    else if (line.length - first > 1 || count === wanted) {
      if (!readHead(lane)) return null
      if (line.length - first > 1) first = putBack(line, first, lane)
    }
    lane = line[first]
  }
  return lane ?? false
}

/** The head that the lane has now. */
function readHead(lane: ShortLane): boolean {
  const seq = lane.seqs[lane.taken] as number
  const [offset, createdAtMs, , readyAfter] = readFresh(lane, seq, lane.values[lane.taken] as string)
  if (offset < 0) return false
  lane.seq = seq
  lane.readyAtMs = createdAtMs + readyAfter
  return true
}

/** The first of the line has another head now: it goes where that belongs. Answers with where the line begins. */
function putBack(line: ShortLane[], first: number, lane: ShortLane): number {
  if (isBefore(lane, line[first + 1] as ShortLane)) return first
  let to = line.length
  while (isBefore(lane, line[to - 1] as ShortLane)) {
    line[to] = line[to - 1] as ShortLane
    to--
  }
  line[to] = lane
  return first + 1
}

function passGates(plan: Plan, { names, limits, ids, costs, lanes, expiresAtMs }: Starts): boolean {
  if (names.length === 0) return true
  if (!readGates(plan, names, limits)) return false
  const untilUs = expiresAtMs * 1_000
  for (let i = 0; i < names.length; i++) {
    const { type, flow, priority } = lanes[i] as ShortLane
    const gate = plan.gates[names[i] as string] as ShortGate
    if (!passGate(plan, gate, ids[i] as string, costs[i] as number, untilUs, type, flow, priority)) return false
  }
  return true
}
