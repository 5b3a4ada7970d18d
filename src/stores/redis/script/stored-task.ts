// A task that was read: a record whose fixed part is unpacked when somebody asks for it, and whose input and output are read then where
// they are kept apart.

import type { TaskRecord } from "../../../task/index.ts"
import { setmetatable } from "./builtins.ts"
import { cmsgpack, redis } from "./server.ts"

/** A packed array: a number, a text, a flag or an array at each place. */
export type Packed = unknown[]

/** A task as it is stored, or will be when the step ends. One for each task that the step has met. */
export interface Entry {
  readonly id: string
  live: Packed
  /** The packed array of what never changes. */
  readonly fixed: string
  /** Both arrays, packed; "" where that has to be done again. */
  value: string
  /** The record that says the same; undefined where nobody has asked for it. */
  task: TaskRecord | undefined
  isChanged: boolean
}

export type StoredTask = { -readonly [Name in keyof TaskRecord]: TaskRecord[Name] } & {
  entry?: Entry
  /** Whether it waits for the first time and has none of what most tasks have not. */
  isShort?: boolean
  isFixedRead?: boolean
  isOutputApart?: boolean
}

let base = ""

/** The prefix of keys, told once when the step begins. */
export function setBase(prefix: string): void {
  base = prefix
}

const isFixed: Readonly<Record<string, boolean | undefined>> = {
  input: true,
  maxRetries: true,
  timeoutMs: true,
  maxReschedules: true,
  maxThrottles: true,
  tags: true,
  idempotencyKey: true,
  inputDigest: true,
}

const meta = {
  /** Asked for whatever the record has not, which null is as well. */
  __index(this: void, task: StoredTask, name: string): unknown {
    if (isFixed[name]) {
      if (task.isFixedRead) return undefined
      readFixed(task)
      return task[name as keyof TaskRecord]
    }
    if (name === "output" && task.isOutputApart) {
      task.output = (redis.call("HGET", `${base}outputs`, task.id) || undefined) as string
      task.isOutputApart = undefined
      return task.output
    }
    return undefined
  },
}

/** Two things are false in Lua, nil and false: so a place can be asked whether there is something. */
type Place = object | false

function readFixed(task: StoredTask): void {
  task.isFixedRead = true
  const [input, maxRetries, timeoutMs, maxReschedules, maxThrottles, tags, key, digest] = cmsgpack.unpack(
    task.entry?.fixed as string,
  ) as Place[]
  task.maxRetries = (maxRetries || 0) as number
  task.timeoutMs = (timeoutMs || 0) as number
  task.input = ((input as unknown) === true ? redis.call("HGET", `${base}inputs`, task.id) || undefined : input) as string
  task.maxReschedules = (maxReschedules || undefined) as unknown as number
  task.maxThrottles = (maxThrottles || undefined) as unknown as number
  task.tags = (tags || []) as string[]
  task.idempotencyKey = (key || undefined) as unknown as string
  task.inputDigest = (digest || undefined) as unknown as string
}

/** It is known from now on where the record is stored. */
export function storedTask(task: StoredTask): TaskRecord {
  return setmetatable(task, meta)
}

/** Field by field, which is quicker than going through them, and without asking for what was not read. */
export function copyStored(task: StoredTask): StoredTask {
  if (task.entry === undefined) return { ...task }
  if (task.isShort) return copyShort(task)
  setmetatable(task, undefined)
  const copy: StoredTask = {
    entry: task.entry,
    isFixedRead: task.isFixedRead,
    isOutputApart: task.isOutputApart,
    id: task.id,
    seq: task.seq,
    type: task.type,
    status: task.status,
    priority: task.priority,
    input: task.input,
    output: task.output,
    progress: task.progress,
    tags: task.tags,
    jobId: task.jobId,
    idempotencyKey: task.idempotencyKey,
    inputDigest: task.inputDigest,
    flow: task.flow,
    gates: task.gates,
    forecastAtMs: task.forecastAtMs,
    createdAtMs: task.createdAtMs,
    updatedAtMs: task.updatedAtMs,
    availableAtMs: task.availableAtMs,
    readyAtMs: task.readyAtMs,
    expiresAtMs: task.expiresAtMs,
    expiredAtMs: task.expiredAtMs,
    startedAtMs: task.startedAtMs,
    completedAtMs: task.completedAtMs,
    cancelRequestedAtMs: task.cancelRequestedAtMs,
    retryCount: task.retryCount,
    maxRetries: task.maxRetries,
    rescheduleCount: task.rescheduleCount,
    maxReschedules: task.maxReschedules,
    throttleCount: task.throttleCount,
    maxThrottles: task.maxThrottles,
    crashCount: task.crashCount,
    attempt: task.attempt,
    fence: task.fence,
    version: task.version,
    workerId: task.workerId,
    claimNumber: task.claimNumber,
    leaseExpiresAtMs: task.leaseExpiresAtMs,
    timeoutMs: task.timeoutMs,
    lastError: task.lastError,
    lastOutcome: task.lastOutcome,
  }
  setmetatable(task, meta)
  return setmetatable(copy, meta)
}

function copyShort(task: StoredTask): StoredTask {
  const copy = {
    entry: task.entry,
    id: task.id,
    seq: task.seq,
    type: task.type,
    status: task.status,
    priority: task.priority,
    flow: task.flow,
    gates: task.gates,
    createdAtMs: task.createdAtMs,
    updatedAtMs: task.updatedAtMs,
    availableAtMs: task.availableAtMs,
    readyAtMs: task.readyAtMs,
    retryCount: 0,
    rescheduleCount: 0,
    throttleCount: 0,
    crashCount: 0,
    attempt: 0,
    fence: 0,
    version: task.version,
  } as unknown as StoredTask
  return setmetatable(copy, meta)
}
