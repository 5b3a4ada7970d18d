// A claim for tasks that wait in one flow of one type: its lanes are gone through by their heads, and what is taken from them starts.
// Whatever is due, out of order, or may be refused is left to the engine, which knows what to do with it.

import { turn } from "../../../../store/claim.ts"
import { budgets } from "../../../../store/contract.ts"
import type { ClaimRequest } from "../../../../store/exchange-contract.ts"
import { tonumber } from "../builtins.ts"
import { flowMember, flowName } from "../places.ts"
import { redis } from "../server.ts"
import { arrayAt, sub, unpackOne, unpackThree } from "./bytes.ts"
import { limitOf, type Passing, passGate, readGates, rowOf } from "./gate.ts"
import { idsOf } from "./ids.ts"
import { isBefore, isEmpty, memberOf, readLane, readSeqs, readyMark, type ShortLane, type Waiters } from "./lane.ts"
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
    if (isAsked[type] || (!plan.isQuiet && !lookAhead(plan, claim, type, one.room))) return null
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
  const starts = newStarts(plan, from, asked.number, leaseMs)
  const taken = takeFrom(plan, claim, from, before, wanted, starts)
  if (!taken || !passGates(plan, taken, starts)) return null
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
  const waiters: Waiters = { seqs: [], ids: [], values: [] }
  const lanes = readLanes(plan, waiters, readyMark(type, flow), members, wanted)
  if (!lanes) return null
  claim.touched += 1 + lanes.length
  const first = takeHeads(plan, starts, waiters, lanes, wanted)
  if (first === null) return null
  const count = plan.started.length
  const virtualTime = Math.max(plan.context.meta.number("time"), time) + (count - 1) * turn
  const flowTime = virtualTime + turn
  const after = first === false ? "" : flowMember(memberOf(first), flowTime, flow)
  claim.touched += count
  return { type, flow, name, before, member: after, waiting: waiting as number, virtualTime, flowTime, lanes, starts }
}

function readLanes(plan: Plan, waiters: Waiters, mark: string, members: readonly string[], wanted: number): ShortLane[] | null {
  const { base } = plan
  const count = members.length
  if (count === 0) return null
  const numbers: string[] = []
  for (let i = 0; i < count; i++) numbers[i] = sub(members[i] as string, 38)
  const texts = redis.call("HMGET", `${base}lanes`, ...numbers) as (string | false)[]
  const each = count === 1 ? wanted + 1 : Math.ceil(wanted / count) + 1
  const lanes: ShortLane[] = []
  for (let i = 0; i < count; i++) {
    const lane = readLane(base, waiters, mark, members[i] as string, texts[i] as string | false, each)
    if (!lane) return null
    lanes[i] = lane
  }
  const ids = idsOf(base, waiters.seqs)
  if (!ids) return null
  waiters.ids = ids
  waiters.values = redis.call("HMGET", `${base}tasks`, ...ids) as string[]
  return lanes
}

/** More of the lane's tasks: they stand at the end of what was read, and those before them are not needed any more. */
function readOn({ base }: Plan, { seqs, ids, values }: Waiters, lane: ShortLane, wanted: number): boolean {
  const from = seqs.length
  lane.from = from - lane.read
  readSeqs(base, seqs, lane, wanted)
  const more: number[] = []
  for (let i = from; i < seqs.length; i++) more.push(seqs[i] as number)
  if (more.length === 0) return true
  const found = idsOf(base, more)
  if (!found) return false
  const texts = redis.call("HMGET", `${base}tasks`, ...found) as string[]
  for (let i = 0; i < found.length; i++) {
    ids[from + i] = found[i] as string
    values[from + i] = texts[i] as string
  }
  return true
}

/**
 * Takes the first of all heads, again and again. Answers with the lane that is first then, false where nobody is left, null where a task is
 * not for the short way.
 */
function takeHeads(plan: Plan, starts: Starts, waiters: Waiters, lanes: readonly ShortLane[], wanted: number): ShortLane | false | null {
  const { seqs, ids, values } = waiters
  const line: ShortLane[] = []
  let [first, end] = [0, lanes.length]
  for (let i = 0; i < end; i++) line[i] = lanes[i] as ShortLane
  let count = 0
  while (count < wanted && first < end) {
    const lane = line[first] as ShortLane
    const at = lane.from + lane.taken
    const seq = seqs[at] as number
    const value = values[at] as string
    const [offset, createdAtMs, available] = readFresh(starts, lane, seq, value)
    if (offset < 0 || !start(plan, starts, lane, ids[at] as string, seq, value, offset, createdAtMs, available)) return null
    const taken = lane.taken + 1
    lane.taken = taken
    count++
    if (taken >= lane.read) {
      if (!lane.isRead && !readOn(plan, waiters, lane, wanted - count + 1)) return null
      if (isEmpty(lane)) {
        first++
        continue
      }
    }
    if (end - first === 1 && count < wanted) continue
    if (!readHead(starts, waiters, lane)) return null
    if (end - first > 1 && !isBefore(lane, line[first + 1] as ShortLane)) {
      putBack(line, end, lane)
      first++
      end++
    }
  }
  return first < end ? (line[first] as ShortLane) : false
}

/** The head that the lane has now. */
function readHead(starts: Starts, { seqs, values }: Waiters, lane: ShortLane): boolean {
  const at = lane.from + lane.taken
  const seq = seqs[at] as number
  const [offset, createdAtMs, , readyAfter] = readFresh(starts, lane, seq, values[at] as string)
  if (offset < 0) return false
  lane.seq = seq
  lane.readyAtMs = createdAtMs + readyAfter
  return true
}

/** One that was the first of the line has another head now: it goes where that belongs. */
function putBack(line: ShortLane[], end: number, lane: ShortLane): void {
  let to = end
  while (isBefore(lane, line[to - 1] as ShortLane)) {
    line[to] = line[to - 1] as ShortLane
    to--
  }
  line[to] = lane
}

function passGates(plan: Plan, { type, flow }: Taken, { names, limits, ids, costs, lanes, expiresAtMs }: Starts): boolean {
  const count = names.length
  if (count === 0) return true
  if (!readGates(plan, names, limits)) return false
  const passing: Passing = { id: "", cost: 0, untilUs: expiresAtMs * 1_000, row: "" }
  let limit = limitOf(plan, limits[0] as string)
  let priority = -1
  for (let i = 0; i < count; i++) {
    const { priority: own } = lanes[i] as ShortLane
    if (own !== priority || i === 0) {
      priority = own
      passing.row = rowOf(type, flow, own)
    }
    passing.id = ids[i] as string
    passing.cost = costs[i] as number
    if (limits[i] !== limit?.name) limit = limitOf(plan, limits[i] as string)
    if (!limit || !passGate(plan, limit, names[i] as string, passing)) return false
  }
  return true
}
