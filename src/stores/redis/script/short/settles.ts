// Completions, which is how most runs end: the record of each is taken apart as bytes and put together again.

import { completedEntry, historyLimit } from "../../../../task/index.ts"
import { digits } from "../lua.ts"
import { packEntries } from "../past.ts"
import { isLong, outcomeCode, statusCode } from "../row.ts"
import { isId, isWhole, type SentSettle } from "../sent-settle.ts"
import { redis } from "../server.ts"
import { arrayHead, byte, char, falses, isNumber, len, pack, small, sub, unpackFive, unpackSeven, unpackSix, unpackThree } from "./bytes.ts"
import { leaveGate, limitOf, nameOf, readGates } from "./gate.ts"
import { countType, type Plan } from "./plan.ts"

/** A task that runs, and one that has completed, begin so: how many values there are, and the status. */
const runningHead = arrayHead(24) + char(statusCode("running"))
const completedHead = arrayHead(26) + char(statusCode("completed"))
const headBytes = 4
/** Standing nowhere, no lane, no expiry, no job, no other flow, no gates, no forecast; its first fence, its first attempt. */
const plainMiddle = char(0) + falses(6) + char(1, 1)
const plainBytes = 9
const noLease = falses(3) + pack(outcomeCode("completed"))
/** An array of one array of three: a limit, a key and a cost. */
export const oneGate = char(0x91, 0x93)
const none = falses(1)

/** Whether all of them can go the short way. */
export function planSettles(plan: Plan, settles: readonly SentSettle[]): boolean {
  const ids: string[] = []
  const fences: number[] = []
  /** Packed. */
  const outputs: string[] = []
  const isNamed: Record<string, boolean | undefined> = {}
  const count = settles.length
  for (let i = 0; i < count; i++) {
    const sent = settles[i] as SentSettle
    let id: string
    if (isId(sent)) {
      id = sent
      fences[i] = 1
      outputs[i] = none
    } else if (!isWhole(sent)) {
      id = sent[0]
      fences[i] = sent[1]
      outputs[i] = none
    } else {
      const { id: named, fence, outcome, spent, heard } = sent
      if (outcome.kind !== "completed" || spent.length > 0 || (heard !== undefined && heard.length > 0)) return false
      const output = outputOf(outcome.output)
      if (output === null) return false
      id = named
      fences[i] = fence
      outputs[i] = output
    }
    if (isNamed[id]) return false
    isNamed[id] = true
    ids[i] = id
  }
  const values = redis.call("HMGET", `${plan.base}tasks`, ...ids) as (string | false)[]
  const writer = newWriter(plan)
  for (let i = 0; i < count; i++) {
    const value = values[i] as string | false
    if (value === false || !complete(plan, writer, i, ids[i] as string, fences[i] as number, outputs[i] as string, value)) return false
  }
  return leaveGates(plan, writer, settles)
}

/** What is alike for tasks that were created, started and claimed together is packed once. */
interface Writer {
  readonly entry: string
  /** How many are done. */
  count: number
  createdAtMs: number
  started: number
  past: string
  /** From when it was changed to its history. */
  tail: string
  /** When it completed. */
  at: string
  /** Of those that pass a gate: its name, its limit, which of the settles it is, what it cost, and when it passed. */
  readonly names: string[]
  readonly limits: string[]
  readonly places: number[]
  readonly costs: number[]
  readonly admitted: number[]
}

function newWriter({ nowMs }: Plan): Writer {
  const entry = packEntries([completedEntry(nowMs)])
  const gates = { names: [], limits: [], places: [], costs: [], admitted: [] }
  return { entry, count: 0, createdAtMs: -1, started: -1, past: "", tail: "", at: "", ...gates }
}

function leaveGates(plan: Plan, { names, limits, places, costs, admitted }: Writer, settles: readonly SentSettle[]): boolean {
  const count = names.length
  if (count === 0) return true
  if (!readGates(plan, names, limits)) return false
  let limit = limitOf(plan, limits[0] as string)
  for (let i = 0; i < count; i++) {
    if (limits[i] !== limit?.name) limit = limitOf(plan, limits[i] as string)
    const settle = settles[places[i] as number] as SentSettle
    if (!limit || !leaveGate(plan, limit, names[i] as string, settle, admitted[i] as number, costs[i] as number)) return false
  }
  return true
}

function complete(plan: Plan, writer: Writer, place: number, id: string, fence: number, output: string, value: string): boolean {
  if (sub(value, 1, headBytes) !== runningHead) return false
  const [version, seq, type, createdAtMs, , ready] = unpackFive(value, 5, headBytes)
  const count = byte(value, version + 1)
  // More have left behind what takes more than a byte, or a history that has to be trimmed.
  if (!isNumber(ready) || count >= historyLimit || count < 2) return false
  let middle = version + 2 + plainBytes
  let held: unknown = 1
  let limit: unknown = false
  let key: unknown = ""
  let cost: unknown = 0
  if (sub(value, version + 3, middle) !== plainMiddle) {
    const [gates, , standing, lane, , job, flow] = unpackSix(value, 6, version + 1)
    if (standing !== 0 || lane !== false || job !== false || flow === undefined) return false
    let behind = gates + 1
    if (sub(value, gates + 1, gates + 2) === oneGate) [behind, limit, key, cost] = unpackThree(value, 3, gates + 2)
    else if (sub(value, gates + 1, gates + 1) !== none) return false
    const [next, , its, attempt] = unpackThree(value, 3, behind)
    if (!isNumber(attempt)) return false
    held = its
    middle = next
  }
  const [fixed, , started, workerId, , , outcome, past] = unpackSeven(value, 7, middle)
  if (held !== fence || workerId !== plan.workerId || outcome !== false || past === false || fixed < 0) return false
  if (!isNumber(started) || !isNumber(createdAtMs)) return false
  if (limit !== false) {
    const { names } = writer
    const at = names.length
    names[at] = nameOf(limit as string, key as string)
    writer.limits[at] = limit as string
    writer.places[at] = place
    writer.costs[at] = cost as number
    writer.admitted[at] = (createdAtMs + started) * 1_000
  }
  if (writer.past !== past || writer.createdAtMs !== createdAtMs || writer.started !== started) {
    const at = pack(plan.nowMs - createdAtMs)
    writer.past = past as string
    writer.createdAtMs = createdAtMs
    writer.started = started
    writer.at = at
    writer.tail = at + pack(started) + noLease + pack((past as string) + writer.entry)
  }
  const { tasks } = plan
  const done = writer.count
  tasks[2 * done] = id
  tasks[2 * done + 1] =
    completedHead +
    sub(value, headBytes + 1, version) +
    (small[count + 1] as string) +
    sub(value, version + 2, middle) +
    writer.tail +
    output +
    writer.at +
    sub(value, fixed + 1)
  plan.finished[done] = digits(seq as number)
  writer.count = done + 1
  countType(plan, plan.completed, type as string, 1)
  return true
}

/** Packed; null where it is kept apart. */
function outputOf(output: string | null): string | null {
  if (output === null) return none
  return len(output) > 0 && isLong(output) ? null : pack(output)
}
