// What people set on top of the code: overrides, pauses, closings. At once, for everybody, and written into the log.

import { SluiceError, shown } from "../errors/index.ts"
import { endCooldown, forgetLearned, type GateState, type Taught, wholeLearned, withTaught } from "../limits/index.ts"
import type { StoredGate } from "./limit-records.ts"
import type { ChangeLimitAnswer, ChangeLimitRequest, LimitChange, LimitSetting } from "./limits-contract.ts"
import { type LimitRecord, noSetting, settingOf } from "./policies.ts"
import type { Records } from "./records.ts"
import { reportLimit } from "./report.ts"

export function changeLimit(records: Records, { limit: name, key, change, by }: ChangeLimitRequest): ChangeLimitAnswer {
  const before = records.limits.limit(name)
  if (!before) return { kind: "unknown_limit", known: records.limits.limitNames().slice(0, 20) }
  const version = change.kind === "teach" ? conflicting(records, name, key, change.version) : null
  if (version !== null) return { kind: "conflict", version }
  const after = change.kind === "teach" ? before : setBy(records, before, key, change)
  records.limits.logChange({ atMs: records.nowMs, limit: name, key, change, by })
  if (change.kind === "reset") changeGates(records, name, key, coolOff)
  if (change.kind === "teach" && change.taught === null) changeGates(records, name, key, forgetLearned)
  if (change.kind === "teach" && change.taught !== null) teach(records, name, key, change.taught)
  records.limits.hurry(name)
  const limit = reportLimit(records, after)
  if (!limit) throw new SluiceError("store_damaged", `expected limit ${shown(name)} to be there still`)
  return { kind: "ok", nowMs: records.nowMs, limit }
}

function setBy(records: Records, before: LimitRecord, key: string, change: Setting): LimitRecord {
  const after = withSetting(before, key, apply(inEffect(settingOf(before, key), records.nowMs), change))
  records.limits.saveLimit(after)
  records.gates.forget()
  return after
}

/** The version that the gate is at, where it is not the one that was asked for. */
function conflicting(records: Records, limit: string, key: string, asked: number | null): number | null {
  const version = records.gates.gate({ limit, key })?.state.learned?.version ?? 0
  return asked === null || asked === version ? null : version
}

function teach(records: Records, limit: string, key: string, taught: Taught): void {
  const gate = records.gates.gate({ limit, key })
  // Another version may have told it, which knew fewer fields.
  const whole: Taught = { ...taught, learned: wholeLearned(taught.learned) }
  if (gate) records.gates.change(gate, withTaught(gate.state, records.nowMs * 1_000, whole))
}

/** Without what has run out: a later change must not bring it back. */
function inEffect(setting: LimitSetting, nowMs: number): LimitSetting {
  const isOver = setting.overrideUntilMs !== null && setting.overrideUntilMs <= nowMs
  return isOver ? { ...setting, override: null, overrideUntilMs: null } : setting
}

type Setting = Exclude<LimitChange, { kind: "teach" }>

function apply(setting: LimitSetting, change: Setting): LimitSetting {
  switch (change.kind) {
    case "set":
      return { ...setting, override: { ...setting.override, ...change.override }, overrideUntilMs: change.untilMs }
    case "pause":
      return { ...setting, isPaused: true }
    case "resume":
      return { ...setting, isPaused: false, closedUntilMs: null }
    case "close":
      return { ...setting, closedUntilMs: change.untilMs }
    case "reset":
      return noSetting
  }
}

function withSetting(limit: LimitRecord, key: string, setting: LimitSetting): LimitRecord {
  // Written out with the others: assigned, one for "__proto__" would be the prototype of them all.
  const settings: Record<string, LimitSetting> = { ...limit.settings, [key]: setting }
  if (JSON.stringify(setting) === JSON.stringify(noSetting)) delete settings[key]
  return { ...limit, settings }
}

/** One gate, or all gates of the limit. */
function changeGates(records: Records, limit: string, key: string, change: (state: GateState) => GateState): void {
  const page = 500
  let afterKey: string | null = null
  for (;;) {
    const stored: readonly StoredGate[] = key === "" ? records.limits.gatesOf(limit, afterKey, page) : []
    const keys = key === "" ? stored.map((one) => one.key) : [key]
    for (const one of keys) {
      const gate = records.gates.gate({ limit, key: one })
      if (gate && gate.number > 0) records.gates.change(gate, change(gate.state))
    }
    if (stored.length < page) return
    afterKey = stored.at(-1)?.key ?? null
  }
}

/** A success meanwhile sets the count back, and leaves the gate closed. */
function coolOff(state: GateState): GateState {
  return state.cooldown.count > 0 || state.closedUntilUs > 0 ? endCooldown(state) : state
}
