// A limit, and what was changed about it, as people see them: times are Dates.

import type { GatePolicy, Taught } from "../limits/index.ts"
import type { LimitReport, LimitSetting, LoggedChange } from "../store/index.ts"
import { gateName } from "../task/index.ts"
import { formatInstant } from "../units/index.ts"
import { dateOrNull } from "./gate-view.ts"
import { policyText } from "./policy-text.ts"
import { everyText } from "./window-text.ts"

export interface LimitView {
  readonly name: string
  /** What live code says; the stricter where it disagrees. Null: no live code declares it. */
  readonly base: GatePolicy | null
  readonly declarations: readonly { readonly policy: GatePolicy; readonly seenAt: Date }[]
  /** What people have set, by key; "" is the limit as a whole. */
  readonly settings: Readonly<Record<string, LimitSettingView>>
  readonly gateCount: number
  readonly waitingTasks: number
}

export interface LimitSettingView {
  /** A part that is missing is as the code says. */
  readonly override: Partial<GatePolicy> | null
  readonly overrideUntil: Date | null
  readonly isPaused: boolean
  readonly closedUntil: Date | null
}

export type LimitChangeView =
  | { readonly kind: "set"; readonly override: Partial<GatePolicy>; readonly until: Date | null }
  | { readonly kind: "pause" }
  | { readonly kind: "resume" }
  | { readonly kind: "close"; readonly until: Date }
  | { readonly kind: "reset" }
  /** What a gate had learned was set, or forgotten. */
  | { readonly kind: "teach"; readonly taught: Taught | null }
  /** A deploy changed what the code says. */
  | { readonly kind: "base"; readonly policy: GatePolicy }

export interface LoggedChangeView {
  readonly number: number
  readonly at: Date
  readonly limit: string
  /** "" for the whole limit. */
  readonly key: string
  readonly change: LimitChangeView
  readonly by: string
  /** In words: "vendor-api/host-1: paused, by ada". */
  readonly text: string
}

export function limitView(report: LimitReport): LimitView {
  const { name, base, gateCount, waitingTasks } = report
  return {
    name,
    base,
    declarations: report.declarations.map(({ policy, seenAtMs }) => ({ policy, seenAt: new Date(seenAtMs) })),
    settings: Object.fromEntries(Object.entries(report.settings).map(([key, setting]) => [key, settingView(setting)])),
    gateCount,
    waitingTasks,
  }
}

function settingView({ override, overrideUntilMs, isPaused, closedUntilMs }: LimitSetting): LimitSettingView {
  return { override, overrideUntil: dateOrNull(overrideUntilMs), isPaused, closedUntil: dateOrNull(closedUntilMs) }
}

export function loggedChangeView({ number, atMs, limit, key, change, by }: LoggedChange): LoggedChangeView {
  const view = changeView(change)
  return { number, at: new Date(atMs), limit, key, change: view, by, text: `${gateName({ limit, key })}: ${changeText(view)}, by ${by}` }
}

function changeView(change: LoggedChange["change"]): LimitChangeView {
  if (change.kind === "set") return { kind: "set", override: change.override, until: dateOrNull(change.untilMs) }
  if (change.kind === "teach") return { kind: "teach", taught: change.taught }
  return change.kind === "close" ? { kind: "close", until: new Date(change.untilMs) } : change
}

function taughtText({ everyUs, slots }: Taught): string {
  const parts = [
    ...(everyUs === null ? [] : [`a start every ${everyText(everyUs / 1_000)}`]),
    ...(slots === null ? [] : [`${slots} at once`]),
  ]
  return parts.length > 0 ? parts.join(", ") : "what it had learned before"
}

function changeText(change: LimitChangeView): string {
  switch (change.kind) {
    case "set":
      return `set to ${policyText(change.override)}${change.until ? ` until ${formatInstant(change.until.getTime())}` : ""}`
    case "pause":
      return "paused"
    case "resume":
      return "resumed"
    case "close":
      return `closed until ${formatInstant(change.until.getTime())}`
    case "reset":
      return "back to what the code says"
    case "teach":
      return change.taught === null ? "what was learned is forgotten" : `told ${taughtText(change.taught)}`
    case "base":
      return `the code says ${policyText(change.policy)}`
  }
}
