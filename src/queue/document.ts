// What the library gives, as --json prints it and HTTP sends it: names in snake case, times as ISO 8601. What has a document of its own (a task)
// is printed as that.

import { formatInstant } from "../units/index.ts"
import { type GateView, isFull } from "./gate-view.ts"
import type { JobDetailView } from "./jobs.ts"
import type { ScheduleView } from "./schedule-view.ts"

/** Properties whose keys are data (the keys of gates, the numbers of buckets, types), not names. */
const keyedByData: ReadonlySet<string> = new Set(["settings", "buckets", "costs"])

/** What is called otherwise on the wire than in code, where every number has its unit in its name. */
const wireNames = new Map([
  ["adaptiveDelayMs", "adaptive_delay"],
  ["delayFloorMs", "delay_floor"],
])

export function documentOf(value: unknown): unknown {
  if (value instanceof Date) return formatInstant(value.getTime())
  if (Array.isArray(value)) return value.map(documentOf)
  if (typeof value !== "object" || value === null) return value
  if ("toJSON" in value && typeof value.toJSON === "function") return value.toJSON()
  return mapped(value, (name, item) => [
    snakeCase(name),
    keyedByData.has(name) && typeof item === "object" && item !== null
      ? mapped(item, (key, one) => [key, documentOf(one)])
      : documentOf(item),
  ])
}

/** "aheadCost" is `ahead_cost` on the wire. */
export function snakeCase(name: string): string {
  return wireNames.get(name) ?? name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

function mapped(value: object, change: (key: string, item: unknown) => [string, unknown]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).map(([key, item]) => change(key, item)))
}

/** The type of its tasks has the name that it has in their documents; the input is somebody's own. */
export function scheduleDocument(view: ScheduleView): Record<string, unknown> {
  const { type, input, name, cron, timezone, catchUp, isPaused, ...others } = view
  const { change: _change, ...times } = documentOf(others) as Record<string, unknown>
  return { name, cron, timezone, catch_up: catchUp, task_type: type, input, is_paused: isPaused, ...times }
}

export function jobDetailDocument({ job, heldBy, slots, gates, running }: JobDetailView, now: Date) {
  return {
    ...job.toJSON(),
    held_by: heldBy,
    slots,
    gates: gates.map((gate) => ({ ...(documentOf(gate) as object), ...(documentOf(backoffOf(gate, now)) as object) })),
    running: running.map((task) => task.toJSON()),
  }
}

/** The words that people know from the first of these systems. */
function backoffOf(gate: GateView, now: Date) {
  const { cooldown, learned, policy, slots, opensAt, refusals } = gate
  const cooling = cooldown !== null && cooldown.until > now ? cooldown : null
  return {
    backoffSeconds: cooling ? Math.ceil((cooling.until.getTime() - now.getTime()) / 1_000) : 0,
    backoffAttempt: cooling?.count ?? 0,
    backoffUntil: cooling?.until ?? null,
    rateLimitCount: refusals,
    // Of one whose slots are taken nobody can tell when one is free.
    estimatedDelaySeconds:
      opensAt === null || isFull(gate, now) ? null : Math.max(0, opensAt.getTime() - now.getTime(), learned?.everyMs ?? 0) / 1_000,
    baseConcurrency: policy.concurrency,
    effectiveConcurrency: slots?.of ?? null,
  }
}
