// The short way for what nearly all submissions are: tasks that are new, may wait at once, and pass no gate, or one at which nothing holds
// them back. Like the short way of an exchange it decides before it writes, and writes what the engine would.

import type { SubmitRequest } from "../../../../store/contract.ts"
import type { NewTask } from "../../../../task/index.ts"
import { attempt } from "../builtins.ts"
import type { Context } from "../context.ts"
import { flowName } from "../places.ts"
import { isLong, toFixed } from "../row.ts"
import { redis } from "../server.ts"
import { type Arrival, newArrival, readArrivals } from "./arrival.ts"
import { arrayHead, char, falses, pack } from "./bytes.ts"
import { type Joining, joinGate, limitOf, nameOf, newGate, readGates, type ShortLimit } from "./gate.ts"
import { newPlan, type Plan } from "./plan.ts"
import { writeSubmission } from "./write-submission.ts"

interface NewGate {
  readonly number: number
  readonly name: string
  readonly limit: string
  readonly key: string
}

export interface Submission {
  readonly plan: Plan
  readonly tasks: readonly NewTask[]
  readonly firstSeq: number
  readonly values: string[]
  /** Field and id, one after the other. */
  readonly keys: string[]
  readonly arrivals: Arrival[]
  /** By the place of the task. */
  readonly arrivalOf: Arrival[]
  /** Gates that are not there yet. */
  readonly newGates: NewGate[]
  /** The latest numbers that were given out. Kept back like all else: the engine begins with the same where this is not for the short way. */
  lanes: number
  gates: number
}

/** Null where it is not for the short way. */
export function shortSubmit(context: Context, request: SubmitRequest): string[] | null {
  const [isSound, submission] = attempt(planSubmit, context, request)
  return isSound && submission ? writeSubmission(submission) : null
}

const pending = char(0)
/** How a record begins: of a task that passes nothing, one of another flow, and one that passes a gate. */
const plainHead = arrayHead(10) + pending
const flowHead = arrayHead(13) + pending
const gatedHead = arrayHead(15) + pending
const none = falses(1)
const noExpiry = falses(2)
const oneGate = char(0x91, 0x93)
/** Available and ready when it was created, and its first version. */
const fresh = char(0, 0, 1)
const inOrder = char(1)
/** It is expected at once. */
const atOnce = char(0)
const fewFixed = arrayHead(3)

function planSubmit(this: void, context: Context, { tasks, newJob, closeJob }: SubmitRequest): Submission | null {
  if (newJob !== undefined || closeJob !== undefined || tasks.length === 0) return null
  const plan = newPlan(context, "")
  const submission: Submission = {
    plan,
    tasks,
    firstSeq: context.meta.number("seq") + 1,
    values: [],
    keys: [],
    arrivals: [],
    arrivalOf: [],
    newGates: [],
    lanes: context.meta.number("lanes"),
    gates: context.meta.number("gates"),
  }
  if (!areNew(submission) || !findLanes(submission) || !passGates(submission)) return null
  packTasks(submission)
  return submission
}

/** Whether each names another task that is not there yet, and none has to be asked about further. */
function areNew({ plan, tasks, keys }: Submission): boolean {
  const ids: string[] = []
  const asked: string[] = []
  const isNamed: Record<string, boolean | undefined> = {}
  const isKey: Record<string, boolean | undefined> = {}
  for (let i = 0; i < tasks.length; i++) {
    const { id, jobId, schedule, expiry, idempotencyKey } = tasks[i] as NewTask
    if (isNamed[id] || jobId !== null || schedule !== null || expiry !== null) return false
    isNamed[id] = true
    ids[i] = id
    if (idempotencyKey === null) continue
    if (isKey[idempotencyKey]) return false
    isKey[idempotencyKey] = true
    asked.push(idempotencyKey)
    keys.push(idempotencyKey, id)
  }
  const found = redis.call("HMGET", `${plan.base}tasks`, ...ids) as (string | false)[]
  for (let i = 0; i < found.length; i++) if (found[i] !== false) return false
  if (asked.length === 0) return true
  const known = redis.call("HMGET", `${plan.base}keys`, ...asked) as (string | false)[]
  for (let i = 0; i < known.length; i++) if (known[i] !== false) return false
  return true
}

/** The lane of each. Those of a batch pass gates all, or none does: the engine gives out numbers in another order else. */
function findLanes(submission: Submission): boolean {
  const { plan, tasks, arrivals, arrivalOf, firstSeq } = submission
  const byName: Record<string, Arrival | undefined> = {}
  const isPlainType: Record<string, boolean | undefined> = {}
  let isGated = false
  let last: Arrival | undefined
  for (let i = 0; i < tasks.length; i++) {
    const { type, flow, gates, priority } = tasks[i] as NewTask
    if (gates === null && !isPlain(plan, isPlainType, type)) return false
    const [ref, other] = gates ?? []
    if (other || (i > 0 && isGated !== (ref !== undefined))) return false
    isGated = ref !== undefined
    let arrival = last
    if (ref || !arrival || arrival.type !== type || arrival.flow !== flow) {
      const name = ref ? arrayHead(4) + pack(type) + pack(flow) + pack(ref.limit) + pack(ref.key) : flowName(type, flow)
      arrival = byName[name]
      if (arrival === undefined) {
        arrival = newArrival(name, type, flow, priority)
        byName[name] = arrival
        arrivals.push(arrival)
      }
      last = arrival
    }
    if (arrival.priority !== priority) return false
    arrival.seqs[arrival.seqs.length] = firstSeq + i
    arrivalOf[i] = arrival
  }
  const { base, nowMs } = plan
  return readArrivals(base, nowMs, arrivals, function (this: void) {
    submission.lanes += 1
    return submission.lanes
  })
}

/** A type that is known to pass no gates needs nobody to say so for each task. */
function isPlain({ base }: Plan, known: Record<string, boolean | undefined>, type: string): boolean {
  if (known[type] === undefined) known[type] = redis.call("HGET", `${base}types`, type) === noLimits
  return known[type] as boolean
}

const noLimits = arrayHead(0)

function passGates(submission: Submission): boolean {
  const { plan, tasks, newGates } = submission
  const names: string[] = []
  const limits: string[] = []
  const keyOf: Record<string, string> = {}
  for (let i = 0; i < tasks.length; i++) {
    const [ref] = (tasks[i] as NewTask).gates ?? []
    if (!ref) return true
    const { limit, key, most, reserved, delayMs } = ref
    if (most !== undefined || reserved !== undefined || delayMs !== undefined) return false
    const name = nameOf(limit, key)
    names[i] = name
    limits[i] = limit
    keyOf[name] = key
  }
  const make = function (this: void, name: string, limit: ShortLimit): string {
    submission.gates += 1
    newGates.push({ number: submission.gates, name, limit: limit.name, key: keyOf[name] as string })
    return newGate(limit, submission.gates, plan.nowMs)
  }
  if (!readGates(plan, names, limits, make)) return false
  const joining: Joining = { cost: 0, type: "", flow: "", priority: 0 }
  for (let i = 0; i < tasks.length; i++) {
    const { type, flow, priority, gates } = tasks[i] as NewTask
    joining.type = type
    joining.flow = flow
    joining.priority = priority
    joining.cost = gates?.[0]?.cost ?? 0
    const limit = limitOf(plan, limits[i] as string)
    if (!limit || !joinGate(plan, limit, names[i] as string, joining)) return false
  }
  return true
}

function packTasks({ plan, tasks, arrivalOf, firstSeq, values }: Submission): void {
  const now = pack(plan.nowMs)
  let [maxRetries, timeoutMs, bounds] = [-1, -1, ""]
  for (let i = 0; i < tasks.length; i++) {
    const task = tasks[i] as NewTask
    const { type, flow, gates, priority, input } = task
    const arrival = arrivalOf[i] as Arrival
    if (arrival.middle === "") arrival.middle = pack(type) + now + fresh + pack(priority) + inOrder + pack(arrival.number)
    if (task.maxRetries !== maxRetries || task.timeoutMs !== timeoutMs) {
      maxRetries = task.maxRetries
      timeoutMs = task.timeoutMs
      bounds = pack(maxRetries) + pack(timeoutMs)
    }
    const fixed = hasMore(task)
      ? toFixed(task as unknown as Parameters<typeof toFixed>[0], isLong(input) ? true : input)
      : fewFixed + pack(isLong(input) ? true : input) + bounds
    const [ref] = gates ?? []
    const seq = pack(firstSeq + i)
    if (ref) {
      const other = flow === type ? none : pack(flow)
      const gate = oneGate + pack(ref.limit) + pack(ref.key) + pack(ref.cost)
      values[i] = gatedHead + seq + arrival.middle + noExpiry + other + gate + atOnce + fixed
    } else if (flow === type) values[i] = plainHead + seq + arrival.middle + fixed
    else values[i] = flowHead + seq + arrival.middle + noExpiry + pack(flow) + fixed
  }
}

/** Whether it has what most tasks have not. */
function hasMore({ maxReschedules, maxThrottles, tags, idempotencyKey, inputDigest }: NewTask): boolean {
  return maxReschedules !== null || maxThrottles !== null || tags.length > 0 || idempotencyKey !== null || inputDigest !== null
}
