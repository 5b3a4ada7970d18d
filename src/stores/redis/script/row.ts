// Between a packed task and a record, inside Redis. A claim knows the live part only: what never changes is unpacked when somebody asks
// for it, and copied as bytes when the task is written.

import type { Brief, TaskRecord } from "../../../task/index.ts"
import { inlineBytes, storedOutcomes, storedStatuses } from "../layout.ts"
import { texts } from "./builtins.ts"
import { packGates, toGates } from "./gate-refs.ts"
import { Live, Standing } from "./live.ts"
import { isApart, type Place, pack } from "./packing.ts"
import { cmsgpack } from "./server.ts"
import { type Entry, type Packed, type StoredTask, storedTask } from "./stored-task.ts"

const statusCodes: Record<string, number> = {}
for (let i = 0; i < storedStatuses.length; i++) statusCodes[storedStatuses[i] as string] = i
const outcomeCodes: Record<string, number> = {}
for (let i = 0; i < storedOutcomes.length; i++) outcomeCodes[storedOutcomes[i] as string] = i

export function statusCode(status: TaskRecord["status"]): number {
  return statusCodes[status] as number
}

export function outcomeCode(outcome: NonNullable<TaskRecord["lastOutcome"]>): number {
  return outcomeCodes[outcome] as number
}

export function toRecord(entry: Entry): TaskRecord {
  const { live } = entry
  const at = live[Live.createdAtMs] as number
  const type = live[Live.type] as string
  const isShort = live.length <= Live.expiresAtMs
  // As small as it can be, for there are as many as there are tasks; what few have is set behind.
  const task = {
    id: entry.id,
    entry,
    isShort,
    seq: live[Live.seq],
    type,
    status: storedStatuses[live[Live.status] as number],
    priority: live[Live.priority],
    flow: (live[Live.flow] as Place) || type,
    gates: toGates(live[Live.gates] as Place),
    createdAtMs: at,
    updatedAtMs: at + (((live[Live.updatedAtMs] as Place) || 0) as number),
    availableAtMs: at + (live[Live.availableAtMs] as number),
    readyAtMs: at + (live[Live.readyAtMs] as number),
    retryCount: (live[Live.retryCount] as Place) || 0,
    rescheduleCount: (live[Live.rescheduleCount] as Place) || 0,
    throttleCount: (live[Live.throttleCount] as Place) || 0,
    crashCount: (live[Live.crashCount] as Place) || 0,
    attempt: (live[Live.attempt] as Place) || 0,
    fence: (live[Live.fence] as Place) || 0,
    version: live[Live.version],
  } as unknown as StoredTask
  if (!isShort) setRest(task, live, at)
  return storedTask(task)
}

/** What a task has that has a job or an expiry, was expected at a time, has run or has ended. */
function setRest(task: StoredTask, live: Packed, at: number): void {
  task.jobId = ((live[Live.jobId] as Place) || undefined) as unknown as string
  task.forecastAtMs = timeAt(live[Live.forecastAtMs], at)
  task.expiresAtMs = timeAt(live[Live.expiresAtMs], at)
  if (live.length <= Live.fence) return
  const output = live[Live.output] as Place
  if (isApart(output)) task.isOutputApart = true
  else task.output = (output || undefined) as unknown as string
  task.startedAtMs = timeAt(live[Live.startedAtMs], at)
  task.workerId = ((live[Live.workerId] as Place) || undefined) as unknown as string
  task.claimNumber = ((live[Live.claimNumber] as Place) || undefined) as unknown as number
  task.leaseExpiresAtMs = timeAt(live[Live.leaseExpiresAtMs], at)
  const outcome = live[Live.lastOutcome] as Place
  task.lastOutcome = (outcome ? storedOutcomes[outcome as unknown as number] : undefined) as TaskRecord["lastOutcome"]
  if (live.length <= Live.completedAtMs) return
  task.completedAtMs = timeAt(live[Live.completedAtMs], at)
  task.progress = ((live[Live.progress] as Place) || undefined) as unknown as string
  task.cancelRequestedAtMs = timeAt(live[Live.cancelRequestedAtMs], at)
  task.expiredAtMs = timeAt(live[Live.expiredAtMs], at)
  task.lastError = ((live[Live.lastError] as Place) || undefined) as unknown as string
}

/** Nil, which null is, where there is none. */
function timeAt(after: unknown, createdAtMs: number): number {
  return (typeof after === "number" ? createdAtMs + after : undefined) as number
}

export function toBrief({ id, live }: Entry): Brief {
  const outcome = live[Live.lastOutcome] as Place
  const started = live[Live.startedAtMs] as Place
  const brief = {
    id,
    seq: live[Live.seq],
    type: live[Live.type],
    status: storedStatuses[live[Live.status] as number],
    fence: (live[Live.fence] as Place) || 0,
    version: live[Live.version],
    lastOutcome: outcome ? storedOutcomes[outcome as unknown as number] : undefined,
    gates: toGates(live[Live.gates] as Place),
    startedAtMs: started ? (live[Live.createdAtMs] as number) + (started as unknown as number) : undefined,
    jobId: (live[Live.jobId] as Place) || undefined,
  }
  return brief as unknown as Brief
}

/** The live array of a record that was changed in any way. Where it stands is told by whoever places it. */
export function toLive(task: TaskRecord, past: string | false, output: unknown): Packed {
  const at = task.createdAtMs
  return [
    statusCode(task.status),
    task.seq,
    task.type,
    at,
    task.availableAtMs - at,
    task.readyAtMs - at,
    task.version,
    task.priority,
    Standing.none,
    false,
    after(task.expiresAtMs, at),
    task.jobId ?? false,
    task.flow !== task.type ? task.flow : false,
    packGates(task.gates),
    after(task.forecastAtMs, at),
    counted(task.fence),
    counted(task.attempt),
    counted(task.updatedAtMs - at),
    after(task.startedAtMs, at),
    task.workerId ?? false,
    task.claimNumber ?? false,
    after(task.leaseExpiresAtMs, at),
    task.lastOutcome !== null ? outcomeCode(task.lastOutcome) : false,
    past,
    output,
    after(task.completedAtMs, at),
    task.progress ?? false,
    counted(task.retryCount),
    counted(task.rescheduleCount),
    counted(task.throttleCount),
    counted(task.crashCount),
    after(task.cancelRequestedAtMs, at),
    after(task.expiredAtMs, at),
    task.lastError ?? false,
  ]
}

/** The same of a task that was just submitted, and has neither run nor ended. */
export function toNewLive(task: TaskRecord): Packed {
  const at = task.createdAtMs
  const { type, flow, gates, expiresAtMs, jobId, forecastAtMs } = task
  const isPlain = gates !== null && gates.length === 0 && flow === type && expiresAtMs === null && jobId === null && forecastAtMs === null
  // Without what would be left out behind.
  if (isPlain) {
    const status = statusCode(task.status)
    const [available, ready] = [task.availableAtMs - at, task.readyAtMs - at]
    return [status, task.seq, type, at, available, ready, task.version, task.priority, Standing.none, false]
  }
  return [
    statusCode(task.status),
    task.seq,
    task.type,
    at,
    task.availableAtMs - at,
    task.readyAtMs - at,
    task.version,
    task.priority,
    Standing.none,
    false,
    after(task.expiresAtMs, at),
    task.jobId ?? false,
    task.flow !== task.type ? task.flow : false,
    packGates(task.gates),
    after(task.forecastAtMs, at),
  ]
}

function after(timeMs: number | null, createdAtMs: number): number | false {
  return timeMs !== null ? timeMs - createdAtMs : false
}

function counted(count: number): number | false {
  return count !== 0 ? count : false
}

/** `input`: true where it is kept apart. */
export function toFixed(task: TaskRecord, input: string | true): string {
  const { maxRetries, timeoutMs, maxReschedules, maxThrottles, tags, idempotencyKey, inputDigest } = task
  const isPlain = maxReschedules === null && maxThrottles === null && tags.length === 0 && idempotencyKey === null && inputDigest === null
  if (isPlain) return cmsgpack.pack([input, maxRetries, timeoutMs])
  return pack([
    input,
    task.maxRetries,
    task.timeoutMs,
    task.maxReschedules ?? false,
    task.maxThrottles ?? false,
    task.tags.length > 0 ? task.tags : false,
    task.idempotencyKey ?? false,
    task.inputDigest ?? false,
  ])
}

/** It is the first in an array of few: its head is the second byte, and that of `true` is 0xc3. */
function hasInputApart(fixed: string): boolean {
  return texts.byte(fixed, 2) === 0xc3
}

export function isLong(text: string): boolean {
  return texts.len(text) > inlineBytes
}

/** Makes places up to this one, so that they can be set. */
export function extend(live: Packed, place: number): void {
  for (let i = live.length; i <= place; i++) live[i] = false
}

/** Whether a table of an answer is a task: one that is stored, or one that was to be. */
export function isRecord(value: object): boolean {
  const task = value as Partial<StoredTask>
  return task.entry !== undefined || (task.readyAtMs !== undefined && task.timeoutMs !== undefined)
}

/** A task in an answer: id, packed record, and the input where that is kept apart. An output that is kept apart is put in its place. */
export function addRow(answer: string[], task: TaskRecord): void {
  const { entry } = task as StoredTask
  const isAsStored = entry?.task === task && entry.value !== "" && !isApart(entry.live[Live.output])
  const fixed = entry?.fixed ?? toFixed(task, isLong(task.input) ? true : task.input)
  const value = isAsStored ? entry.value : pack(toLive(task, false, task.output ?? false)) + fixed
  const input = hasInputApart(fixed) ? task.input : ""
  answer.push(task.id)
  answer.push(value)
  answer.push(input)
}
