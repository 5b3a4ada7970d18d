// What `doctor` looks at, each in one sentence: what is so, and where it is not well, what to do. Looks only; changes nothing.

import { type LimitView, policyText, type Queue, type ScheduleView, type Task, type WorkerView } from "../queue/index.ts"
import { budgets, type StoreDescription } from "../store/index.ts"
import type { Status } from "../task/index.ts"
import { formatDuration } from "../units/index.ts"
import { forecastsOf } from "./forecasts.ts"
import { doesDisagree } from "./limit-text.ts"
import { unhandledText } from "./unhandled.ts"

export interface Check {
  readonly result: "ok" | "warn"
  readonly message: string
}

/** Beyond this, times that people write by their own clock mean something else to the store. */
const clockToleranceMs = 5_000
/** A worker claims what is due within moments; what is left this long is left by all of them. */
const patienceMs = 60_000

const ok = (message: string): Check => ({ result: "ok", message })
const warn = (message: string): Check => ({ result: "warn", message })

export async function runChecks(queue: Queue): Promise<Check[]> {
  const { world } = queue
  const sentAtMs = world.monotonicMs()
  const nowMs = (await queue.now()).getTime()
  const tookMs = world.monotonicMs() - sentAtMs
  const counts = await queue.counts()
  const latest = async (status: Status) => (counts[status] === 0 ? [] : (await queue.list({ status, limit: budgets.listPage })).tasks)
  return [
    ok(`the store answers, within ${formatDuration(Math.max(1, tookMs))}`),
    clock(nowMs - world.wallMs(), tookMs),
    ...keeping(await queue.describe()),
    waiting(await leftWaiting(queue, await latest("pending"), nowMs), await queue.workers()),
    overdue(await latest("pending"), nowMs),
    leases(await latest("running"), nowMs),
    failures(counts.failed),
    declarations(await queue.limits.list()),
    schedules(await queue.schedules.list(), nowMs),
  ]
}

function clock(aheadMs: number, tookMs: number): Check {
  const offMs = Math.max(0, Math.abs(aheadMs) - tookMs)
  if (offMs <= clockToleranceMs) return ok("the clocks of the store and of this machine agree")
  const direction = aheadMs > 0 ? "ahead of" : "behind"
  return warn(
    `the store's clock is ${formatDuration(offMs)} ${direction} this machine's; the store's decides when tasks start and expire: set the clocks right`,
  )
}

function keeping({ kind, durability, facts }: StoreDescription): Check[] {
  if (kind === "memory")
    return [warn("tasks are gone when this process ends, and no other process sees them; use --store sqlite:./sluice.db to keep them")]
  const isKept = !/^(none|snapshots):/.test(durability)
  const { maxmemory_policy: policy, security } = facts
  return [
    isKept ? ok("tasks outlive this process") : warn(`the server does not keep what it has acknowledged: ${durability}`),
    ...(policy !== undefined && policy !== "noeviction"
      ? [warn(`the server's maxmemory-policy is ${policy}: set noeviction, or it drops tasks`)]
      : []),
    ...(security !== undefined ? [warn(String(security))] : []),
  ]
}

/** Due for long, and held by nothing that a worker could not change. */
async function leftWaiting(queue: Queue, pending: readonly Task[], nowMs: number): Promise<Task[]> {
  const due = pending.filter((task) => nowMs - task.availableAt.getTime() > patienceMs && !task.isExpiredAt(new Date(nowMs)))
  // The oldest first: at a gate that nobody comes to, only they could start now.
  const forecasts = await forecastsOf(queue, due.toReversed())
  return due.filter(({ id, gates }) => {
    const basis = forecasts.get(id)?.basis
    return gates?.length === 0 || basis === "now" || basis === "unrouted"
  })
}

function waiting(left: readonly Task[], workers: readonly WorkerView[]): Check {
  if (left.length === 0) return ok("no task that is due has been left waiting")
  const types = [...new Set(left.map((task) => task.type))]
  const named = types.slice(0, 5).join(", ") + (types.length > 5 ? ", …" : "")
  const unhandled = types.slice(0, 5).flatMap((type) => unhandledText(type, workers) ?? [])
  return warn(
    `${tasks(left)} due for more than ${formatDuration(patienceMs)} (${named}): start workers that run these types, or more of them${unhandled.length > 0 ? `; ${unhandled.join("; ")}` : ""}`,
  )
}

function overdue(pending: readonly Task[], nowMs: number): Check {
  const late = pending.filter((task) => task.isExpiredAt(new Date(nowMs)))
  if (late.length === 0) return ok("no pending task is past its expiry")
  return warn(`${tasks(late)} pending past the expiry: a worker's sweep expires them, or run sluice sweep`)
}

function leases(running: readonly Task[], nowMs: number): Check {
  const lost = running.filter((task) => task.leaseExpiresAt !== null && task.leaseExpiresAt.getTime() <= nowMs)
  if (lost.length === 0) return ok("every running task has a live lease")
  const workers = [...new Set(lost.map((task) => task.workerId))].slice(0, 5).join(", ")
  return warn(`${tasks(lost)} running with a lease that ended (${workers}): a worker's sweep gives them back, or run sluice sweep`)
}

function failures(failed: number): Check {
  if (failed === 0) return ok("no task has failed")
  return warn(`${failed} ${failed === 1 ? "task has" : "tasks have"} failed: see sluice list --status failed`)
}

function declarations(limits: readonly LimitView[]): Check {
  const disputed = limits.filter(doesDisagree)
  if (disputed.length === 0) return ok("live processes agree on every limit")
  const named = disputed.map((limit) => `${limit.name}: ${limit.declarations.map(({ policy }) => policyText(policy)).join(" or ")}`)
  return warn(`live processes disagree on ${named.join("; ")}. The stricter holds until all of them run the same code`)
}

function schedules(found: readonly ScheduleView[], nowMs: number): Check {
  const late = found.filter(({ nextAt }) => nextAt !== null && nowMs - nextAt.getTime() > patienceMs)
  const refused = found.filter(({ lastError }) => lastError !== null)
  const named = (some: readonly ScheduleView[]) =>
    some
      .map(({ name }) => name)
      .slice(0, 5)
      .join(", ") + (some.length > 5 ? ", …" : "")
  if (late.length > 0)
    return warn(
      `instants of ${named(late)} have come and nobody has fired them: start a worker, or one that knows their cron and time zone`,
    )
  if (refused.length > 0) return warn(`the latest instant of ${named(refused)} could not be submitted: see sluice schedule show`)
  return ok("every schedule stands at an instant that is to come")
}

/** Only the latest page is looked at, so a full one stands for "at least". */
function tasks(found: readonly Task[]): string {
  if (found.length === 1) return "1 task is"
  return `${found.length >= budgets.listPage ? "at least " : ""}${found.length} tasks are`
}
