// A worker's options, read once.

import { hostname } from "node:os"
import { SluiceError } from "../errors/index.ts"
import { workerDefaults } from "../queue/defaults.ts"
import type { Backoff } from "../task/index.ts"
import { type Duration, orNull, parseDuration, parseName, readOptions, wholeNumber, yesOrNo } from "../units/index.ts"
import { randomHex, type World } from "../world/index.ts"

export interface WorkerOptions {
  /** Shown in the history as "claimed by …". Made from host and process if not given; never two workers with one id. */
  readonly id?: string
  readonly concurrency?: number
  readonly lease?: Duration
  readonly heartbeat?: Duration
  readonly sweep?: Duration
  /** How often the store is told which types and limits this worker's code knows. Who was not heard of counts as gone. */
  readonly hello?: Duration
  readonly grace?: Duration
  readonly startWithin?: Duration
  /** How long finished tasks are kept; null keeps them for ever. */
  readonly retention?: Duration | null
  /** Whether it fires schedules; true unless it is told not to. */
  readonly schedules?: boolean
  readonly backoff?: { readonly base?: Duration; readonly factor?: number; readonly cap?: Duration }
}

export interface WorkerSettings {
  readonly id: string
  readonly concurrency: number
  readonly leaseMs: number
  readonly heartbeatMs: number
  readonly sweepMs: number
  readonly helloMs: number
  readonly graceMs: number
  readonly startWithinMs: number
  readonly retentionMs: number | null
  readonly schedules: boolean
  readonly backoff: Backoff
}

export const workerReaders = {
  id: parseName,
  concurrency: wholeNumber(1, 100_000),
  lease: parseDuration,
  heartbeat: parseDuration,
  sweep: parseDuration,
  hello: parseDuration,
  grace: parseDuration,
  startWithin: parseDuration,
  retention: orNull(parseDuration),
  schedules: yesOrNo,
  backoff: (name: string, value: unknown) =>
    readOptions(name, value, { base: parseDuration, factor: wholeNumber(1, 100), cap: parseDuration }),
}

/** Later sets win: those of `queue.worker(…)`, then those of `run(…)`. */
export function workerSettings(world: World, ...sets: readonly (WorkerOptions | undefined)[]): WorkerSettings {
  const read = Object.assign({}, ...sets.map((set) => readOptions("worker", set, workerReaders))) as ReturnType<
    typeof readOptions<typeof workerReaders>
  >
  const settings: WorkerSettings = {
    id: read.id ?? defaultId(world),
    concurrency: read.concurrency ?? workerDefaults.concurrency,
    leaseMs: read.lease ?? workerDefaults.leaseMs,
    heartbeatMs: read.heartbeat ?? Math.min(workerDefaults.heartbeatMs, Math.floor((read.lease ?? workerDefaults.leaseMs) / 3)),
    sweepMs: read.sweep ?? workerDefaults.sweepMs,
    helloMs: read.hello ?? workerDefaults.helloMs,
    graceMs: read.grace ?? workerDefaults.graceMs,
    startWithinMs: read.startWithin ?? workerDefaults.startWithinMs,
    retentionMs: read.retention === undefined ? workerDefaults.retentionMs : read.retention,
    schedules: read.schedules ?? workerDefaults.schedules,
    backoff: {
      baseMs: read.backoff?.base ?? workerDefaults.backoff.baseMs,
      factor: read.backoff?.factor ?? workerDefaults.backoff.factor,
      capMs: read.backoff?.cap ?? workerDefaults.backoff.capMs,
    },
  }
  check(settings)
  return settings
}

/** Of a lease, so that a handler has stopped before somebody else starts. */
export const keptInHand = 1 / 6

/** How long one call to the store may take: short enough that a heartbeat can be sent again before its lease ends. */
export function callDeadlineMs({ leaseMs }: WorkerSettings): number {
  return Math.max(1_000, Math.floor(leaseMs / 3))
}

/** How long a store that does not answer is left alone at most. */
export function longestPauseMs({ leaseMs }: WorkerSettings): number {
  return Math.min(5_000, Math.floor(leaseMs / 6))
}

function check({ leaseMs, heartbeatMs, sweepMs, helloMs }: WorkerSettings): void {
  if (leaseMs < 100) throw new SluiceError("invalid_option", `worker: lease: expected at least 100ms, got ${leaseMs}ms`)
  if (sweepMs < 10) throw new SluiceError("invalid_option", `worker: sweep: expected at least 10ms, got ${sweepMs}ms`)
  if (helloMs < 1_000) throw new SluiceError("invalid_option", `worker: hello: expected at least 1000ms, got ${helloMs}ms`)
  if (heartbeatMs < 10 || heartbeatMs * 2 > leaseMs) {
    throw new SluiceError(
      "invalid_option",
      `worker: heartbeat: expected from 10ms to half the lease (${leaseMs / 2}ms), got ${heartbeatMs}ms`,
    )
  }
}

function defaultId(world: World): string {
  const host = hostname()
    .replace(/[^A-Za-z0-9_-]/g, "-")
    .slice(0, 60)
  return `${host || "worker"}-${process.pid}-${randomHex(world, 6)}`
}
