// Tasks that start for the first time: the record of each is taken apart as bytes and put together again.

import { claimedEntry } from "../../../../task/index.ts"
import { digits } from "../lua.ts"
import { packEntries } from "../past.ts"
import { statusCode } from "../row.ts"
import { arrayHead, byte, char, falses, len, pack, packWhole, sub, unpackFive, unpackOne, unpackThree } from "./bytes.ts"
import { nameOf } from "./gate.ts"
import type { ShortLane } from "./lane.ts"
import type { Plan } from "./plan.ts"
import { oneGate } from "./settles.ts"

const runningHead = arrayHead(24) + char(statusCode("running"))
const firstRun = char(1, 1)
const secondVersion = char(2)
/** Standing nowhere, and no lane. */
const nowhere = char(0) + falses(1)
const none = falses(1)
/** How many values a pending task has: at least, and at most. What follows the first are an expiry, a job, a flow, gates and a forecast. */
const fewest = 10
const withFlow = 13
const most = 15
const missing: readonly string[] = [falses(5), falses(4), falses(3), falses(2), falses(1), ""]
/** Of an input that is kept apart. */
const isTrue = 0xc3

export interface Starts {
  /** Of the flow that they are taken from. */
  readonly type: string
  readonly workerId: string
  readonly claimNumber: number
  readonly expiresAtMs: number
  readonly lease: string
  readonly entry: string
  /** What is alike for tasks that were created together is packed once. */
  createdAtMs: number
  tail: string
  /** The same of those that have one priority: their version, priority and standing then. */
  priority: number | null
  claimedMark: string
  /** Behind those that completed, and how many there are. */
  readonly from: number
  count: number
  /** The answer: how it begins, and id, record and input of each. */
  readonly told: string[]
  /** Whose input is kept apart. */
  readonly apart: number[]
  /** How far their forecasts were off: when each was expected. */
  readonly toldMs: number[]
  /** Of those that pass a gate: its name, its limit, the id of the task, what it costs, its lane. */
  readonly names: string[]
  readonly limits: string[]
  readonly ids: string[]
  readonly costs: number[]
  readonly lanes: ShortLane[]
}

export function newStarts(plan: Plan, type: string, claimNumber: number, leaseMs: number): Starts {
  const { nowMs, workerId } = plan
  return {
    type,
    workerId,
    claimNumber,
    expiresAtMs: nowMs + leaseMs,
    lease: pack(workerId) + pack(claimNumber),
    entry: none + pack(packEntries([claimedEntry(nowMs, workerId)])),
    createdAtMs: -1,
    tail: "",
    priority: null,
    claimedMark: "",
    from: plan.tasks.length,
    count: 0,
    told: ["ok", ""],
    apart: [],
    toldMs: [],
    names: [],
    limits: [],
    ids: [],
    costs: [],
    lanes: [],
  }
}

/** Of a task that waits in the lane for the first time: the offset behind its times, and they. Below 0 where it is no such task. */
export function readFresh(
  starts: Starts,
  lane: ShortLane,
  seq: number,
  value: string,
): LuaMultiReturn<[at: number, createdAtMs: number, availableAfter: number, readyAfter: number]> {
  const size = byte(value, 1) - 0x90
  if (size < fewest || size > most || byte(value, 2) !== 0) return $multi(-1, 0, 0, 0)
  const [at, its, type, createdAtMs, available, ready] = unpackFive(value, 5, 2)
  const { mark } = lane
  if (its !== seq || type !== starts.type || sub(value, at + 1, at + len(mark)) !== mark) return $multi(-1, 0, 0, 0)
  return $multi(at, createdAtMs as number, available as number, ready as number)
}

/** Whether it can be started here. */
export function start(
  plan: Plan,
  starts: Starts,
  lane: ShortLane,
  id: string,
  seq: number,
  value: string,
  at: number,
  createdAtMs: number,
  available: number,
): boolean {
  const size = byte(value, 1) - 0x90
  const from = at + len(lane.mark)
  let fixed = from
  let expected: unknown = available
  if (size > fewest) {
    const [behind, expires, job, flow] = unpackThree(value, 3, from)
    if (size < withFlow || expires !== false || job !== false || flow === undefined) return false
    fixed = behind
    if (size > withFlow) {
      if (sub(value, fixed + 1, fixed + 2) !== oneGate) return false
      const [gated, limit, key, cost] = unpackThree(value, 3, fixed + 2)
      fixed = gated
      expected = false
      if (size === most) [fixed, expected] = unpackOne(value, 1, gated)
      const { names } = starts
      const place = names.length
      names[place] = nameOf(limit as string, key as string)
      starts.limits[place] = limit as string
      starts.ids[place] = id
      starts.costs[place] = cost as number
      starts.lanes[place] = lane
    }
  }
  if (starts.createdAtMs !== createdAtMs) {
    const now = pack(plan.nowMs - createdAtMs)
    starts.createdAtMs = createdAtMs
    starts.tail = firstRun + now + now + starts.lease + pack(starts.expiresAtMs - createdAtMs) + starts.entry
  }
  if (starts.priority !== lane.priority) {
    starts.priority = lane.priority
    starts.claimedMark = secondVersion + packWhole(lane.priority) + nowhere
  }
  const { count, told } = starts
  if (byte(value, fixed + 2) === isTrue) starts.apart.push(count)
  const record =
    runningHead +
    sub(value, 3, at) +
    starts.claimedMark +
    sub(value, from + 1, fixed) +
    (missing[size - fewest] as string) +
    starts.tail +
    sub(value, fixed + 1)
  const { tasks, started } = plan
  const place = starts.from + 2 * count
  tasks[place] = id
  tasks[place + 1] = record
  told[3 * count + 2] = id
  told[3 * count + 3] = record
  told[3 * count + 4] = ""
  started[count] = digits(seq)
  if (expected !== false) starts.toldMs.push(createdAtMs + (expected as number))
  starts.count = count + 1
  return true
}
