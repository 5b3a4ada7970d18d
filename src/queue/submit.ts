// Submit options, read once into what the store takes.

import { createHash } from "node:crypto"
import { SluiceError } from "../errors/index.ts"
import type { GateRef, NewTask, When } from "../task/index.ts"
import {
  anything,
  canonicalJson,
  type Duration,
  type Instant,
  listOf,
  onlyOne,
  orNull,
  parseDuration,
  parseInstant,
  parseKey,
  parseName,
  parseSeconds,
  readOptions,
  toJson,
  wholeNumber,
} from "../units/index.ts"
import { taskDefaults } from "./defaults.ts"
import type { TaskDefaults } from "./definition.ts"
import { type GateInput, readGates } from "./task-gates.ts"

export interface SubmitOptions extends TaskDefaults {
  /** Not before this time. */
  readonly scheduleAt?: Instant
  /** Not before this much later. */
  readonly delay?: Duration
  readonly ttl?: Duration
  readonly ttlSeconds?: number
  readonly expiresAt?: Instant
  /** The same key and input again gives back the first task. */
  readonly idempotencyKey?: string
  readonly tags?: readonly string[]
  /** What this task is shared out fairly with others by; what its `fairBy` says if not given, else its type. */
  readonly flow?: string
  /** The id of a job that runs: the task becomes one of its tasks. */
  readonly job?: string
  /** A transaction of yours on the same database (a client of `pg`): the task is there when you commit, and never was when you roll back. */
  readonly tx?: unknown
  /** For a submission by name: the gates that the task passes. Left out, a worker that has the code says which. */
  readonly gates?: readonly GateInput[]
}

export const submitReaders = {
  scheduleAt: parseInstant,
  delay: parseDuration,
  ttl: parseDuration,
  ttlSeconds: parseSeconds,
  expiresAt: parseInstant,
  timeout: parseDuration,
  timeoutSeconds: parseSeconds,
  maxRetries: wholeNumber(0, 1_000_000),
  maxReschedules: orNull(wholeNumber(0, 1_000_000_000)),
  maxThrottles: orNull(wholeNumber(0, 1_000_000_000)),
  priority: wholeNumber(-32_768, 32_767),
  idempotencyKey: parseKey,
  tags: listOf((name, value) => parseName(name, value), 32),
  flow: parseKey,
  job: parseKey,
  tx: anything<unknown>(),
  gates: readGates,
}

export interface Submission {
  readonly id: string
  readonly type: string
  readonly input: unknown
  readonly maxInputBytes: number
  readonly options: ReadSubmitOptions
  /** Null: not known here. */
  readonly gates: readonly GateRef[] | null
  readonly flow: string
}

export function newTask(submission: Submission): NewTask {
  const { id, type, input, gates, flow } = submission
  const { options } = submission
  const idempotencyKey = options.idempotencyKey ?? null
  return {
    id,
    type,
    input: toJson("input", input, submission.maxInputBytes),
    priority: options.priority ?? taskDefaults.priority,
    tags: [...new Set(options.tags ?? [])],
    jobId: options.job ?? null,
    flow,
    gates,
    schedule: when(options.scheduleAt, options.delay),
    expiry: when(options.expiresAt, options.ttl ?? options.ttlSeconds),
    maxRetries: options.maxRetries ?? taskDefaults.maxRetries,
    maxReschedules: options.maxReschedules ?? null,
    maxThrottles: options.maxThrottles ?? null,
    timeoutMs: options.timeout ?? options.timeoutSeconds ?? taskDefaults.timeoutMs,
    idempotencyKey,
    inputDigest: idempotencyKey === null ? null : digestOf(input),
  }
}

/** What tells inputs of the same key apart. */
export function digestOf(input: unknown): string {
  return createHash("sha256").update(canonicalJson(input)).digest("base64url")
}

export type ReadSubmitOptions = ReturnType<typeof readOptions<typeof submitReaders>>

/** Options that say the same thing two ways exclude each other within one set; a later set replaces both ways. */
const ways = [
  ["scheduleAt", "delay"],
  ["ttl", "ttlSeconds", "expiresAt"],
  ["timeout", "timeoutSeconds"],
] as const

/** Later sets win: the definition's defaults, the batch's options, the task's own. Read once for all tasks that share them. */
export function readSubmitOptions(type: string, sets: readonly unknown[]): ReadSubmitOptions {
  const where = `submit ${type}`
  let merged: ReadSubmitOptions = {}
  for (const set of sets) {
    const read = readOptions(where, set, submitReaders)
    for (const names of ways) {
      onlyOne(where, read, names)
      if (names.some((name) => read[name] !== undefined))
        merged = { ...merged, ...Object.fromEntries(names.map((name) => [name, undefined])) }
    }
    merged = { ...merged, ...read }
  }
  if (merged.timeout === 0 || merged.timeoutSeconds === 0) {
    throw new SluiceError("invalid_duration", `${where}: timeout: expected more than 0`)
  }
  return merged
}

function when(atMs: number | undefined, inMs: number | undefined): When | null {
  if (atMs !== undefined) return { atMs }
  return inMs === undefined ? null : { inMs }
}
