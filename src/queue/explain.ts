// Why a task has not started, and when it will: what the store knows, in Dates and in a few lines of plain English.

import type { Explanation, GateReport } from "../store/index.ts"
import { gateName, type Status, type TaskRecord } from "../task/index.ts"
import { formatDuration, formatInstant } from "../units/index.ts"
import { dateOrNull, type GateView, gateView, levelText } from "./gate-view.ts"
import { forecastView, Task, type TaskForecast } from "./task.ts"
import { everyText } from "./window-text.ts"

export interface TaskExplanation {
  /** By the store's clock. */
  readonly now: Date
  readonly task: Task
  readonly status: Status
  /** Null unless pending. */
  readonly forecast: TaskForecast | null
  /** Every gate that the task passes. */
  readonly gates: readonly ExplainedGate[]
  /** The gate that decides when it starts. */
  readonly heldBy: string | null
  /** Tasks before it in its lane; null where it stands in none. */
  readonly tasksAhead: number | null
  /** 1 is next. */
  readonly position: number | null
  /** Workers that were heard of lately and handle its type. */
  readonly liveWorkers: number
  readonly isUnrouted: boolean
  readonly expiresFirst: boolean
  /** All of it in words, a line each. */
  readonly text: string
}

export interface ExplainedGate extends GateView {
  readonly cost: number
  /** The cost that passes before it. */
  readonly aheadCost: number
  readonly opensForTaskAt: Date | null
  /** The distance that it keeps to the start before it there: what was learned, or what it asks for itself; null: none. */
  readonly spacing: { readonly everyMs: number; readonly isLearned: boolean } | null
}

export function explanationView(explanation: Explanation): TaskExplanation {
  const { nowMs, task, forecast, heldBy, tasksAhead, liveWorkers, isUnrouted, expiresFirst } = explanation
  const view = {
    now: new Date(nowMs),
    task: new Task(task, forecast),
    status: task.status,
    forecast: forecast && forecastView(forecast),
    gates: explanation.gates.map((gate) => ({
      ...gateView(gate),
      cost: gate.cost,
      aheadCost: gate.aheadCost,
      opensForTaskAt: dateOrNull(gate.opensForTaskAtMs),
      spacing: spacingOf(gate, task),
    })),
    heldBy,
    tasksAhead,
    position: tasksAhead === null ? null : tasksAhead + 1,
    liveWorkers,
    isUnrouted,
    expiresFirst,
  }
  return { ...view, text: linesOf(view).join("\n") }
}

function spacingOf({ gate, policy, pace, learned }: GateReport, { gates }: TaskRecord): ExplainedGate["spacing"] {
  const { adaptive, rates } = policy
  const own = gates?.find((ref) => gateName(ref) === gate)?.delayMs
  const ownUs = own === undefined ? (adaptive?.baseDelayUs ?? 0) : own * 1_000
  // One that looks for a limit begins with a pace of its own.
  const keptUs = pace?.everyUs ?? (adaptive?.preset === "scout" && rates.length === 0 ? adaptive.startUs : 0)
  const everyUs = Math.max(ownUs, keptUs)
  return everyUs === 0 ? null : { everyMs: everyUs / 1_000, isLearned: keptUs >= ownUs && learned !== null }
}

type Explained = Omit<TaskExplanation, "text">

function linesOf(explained: Explained): string[] {
  if (explained.status !== "pending") return [notPending(explained)]
  return [
    `${subject(explained)} is pending.`,
    ...unrouted(explained),
    ...scheduled(explained),
    ...held(explained),
    ...placed(explained),
    ...workers(explained),
    ...expected(explained),
    ...expiring(explained),
  ]
}

const subject = ({ task }: Explained) => `Task ${task.id} (${task.type})`

function notPending(explained: Explained): string {
  const { task, status, now } = explained
  if (status === "running") return `${subject(explained)} is running${since(task.startedAt, now)} on worker ${task.workerId}.`
  const at = status === "expired" ? task.expiredAt : task.completedAt
  const why = status === "failed" && task.lastError !== null ? `: ${task.lastError}` : ""
  return `${subject(explained)} is ${status}${at ? `, since ${formatInstant(at.getTime())}` : ""}${why}. It waits for nothing.`
}

function since(at: Date | null, now: Date): string {
  return at ? `, for ${formatDuration(now.getTime() - at.getTime())},` : ""
}

function unrouted({ isUnrouted, task }: Explained): string[] {
  if (!isUnrouted) return []
  return [
    `It is unrouted: it was submitted without the code of ${task.type}, and no worker that has it has said yet which gates it passes.`,
  ]
}

function scheduled({ task, now }: Explained): string[] {
  return task.availableAt > now ? [`It is scheduled for ${whenText(task.availableAt, now)}.`] : []
}

/** The one that decides; else one that is shut, where nobody can say yet for how long. */
function holder({ heldBy, gates, now }: Explained): ExplainedGate | null {
  const isShut = ({ opensAt }: ExplainedGate) => opensAt === null || opensAt > now
  return gates.find((one) => one.gate === heldBy) ?? gates.find(isShut) ?? null
}

function held(explained: Explained): string[] {
  const gate = holder(explained)
  if (!gate) return []
  const { now } = explained
  const cost = gate.cost === 1 ? "" : `, where it costs ${gate.cost}`
  const opening = openingText(gate, now)
  if (explained.forecast?.basis === "pace" && gate.spacing)
    return [`${pacedText(gate.gate, gate.spacing)}${cost}, ${gate.aheadCost || "nothing"} before it; ${opening}.`]
  const ahead = gate.aheadCost === 0 ? "nothing passes before it" : `${gate.aheadCost} pass${gate.aheadCost === 1 ? "es" : ""} before it`
  const level = levelText(gate)
  return [`Gate ${gate.gate} holds it${cost}: ${level === "" ? "" : `${level}; `}${ahead}; ${opening}.`]
}

function pacedText(gate: string, { everyMs, isLearned }: NonNullable<ExplainedGate["spacing"]>): string {
  const every = `a start every ${everyText(everyMs)}`
  return isLearned
    ? `It waits for the pace that gate ${gate} has learned: ${every}`
    : `It waits for the distance that gate ${gate} keeps: ${every}`
}

function openingText({ isPaused, closedUntil, cooldown, opensForTaskAt, opensAt }: ExplainedGate, now: Date): string {
  if (isPaused) return "it is paused until somebody resumes it"
  const opens =
    opensForTaskAt && opensForTaskAt > now
      ? `it opens for this task at ${whenText(opensForTaskAt, now)}`
      : `it opens ${opensAt ? `at ${whenText(opensAt, now)} at the latest` : "when something changes"}`
  if (closedUntil && closedUntil > now) return `it was closed by hand until ${formatInstant(closedUntil.getTime())}; ${opens}`
  if (cooldown && cooldown.until > now)
    return `it cools down until ${formatInstant(cooldown.until.getTime())}, because the other side said "too fast"; ${opens}`
  return opens
}

function placed({ position, tasksAhead, task }: Explained): string[] {
  if (position === null || tasksAhead === null) return []
  const ahead = tasksAhead === 0 ? "no task" : tasksAhead === 1 ? "1 task" : `${tasksAhead} tasks`
  return [`It is number ${position} in its lane: ${ahead} of type ${task.type} ahead of it.`]
}

function workers({ liveWorkers, task }: Explained): string[] {
  return liveWorkers > 0 ? [] : [`No live worker handles ${task.type}: start one, for example with "sluice work".`]
}

function expected(explained: Explained): string[] {
  const { forecast, now, isUnrouted } = explained
  if (!forecast || isUnrouted) return []
  if (forecast.at === null) return ["When it starts cannot be said: somebody has to do something first."]
  if (forecast.at <= now)
    return holder(explained) ? ["It starts when its gate opens."] : ["It can start now, as soon as a worker has room."]
  const latest = forecast.latest && forecast.latest > forecast.at ? `, at the latest ${whenText(forecast.latest, now)}` : ""
  return [`It is expected to start at ${whenText(forecast.at, now)}${latest}.`]
}

function expiring({ expiresFirst, task, now }: Explained): string[] {
  return expiresFirst && task.expiresAt ? [`It will expire first: at ${whenText(task.expiresAt, now)}.`] : []
}

function whenText(at: Date, now: Date): string {
  const leftMs = at.getTime() - now.getTime()
  return `${formatInstant(at.getTime())} (${leftMs > 0 ? `in ${formatDuration(leftMs)}` : "now"})`
}
