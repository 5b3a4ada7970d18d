// What people set on top of the code: overrides, pauses, closings. At once, for everybody, and written into the log.

import { endCooldown } from "../limits/index.ts"
import type { StoredGate } from "./limit-records.ts"
import type { ChangeLimitAnswer, ChangeLimitRequest, LimitChange, LimitSetting } from "./limits-contract.ts"
import { type LimitRecord, noSetting } from "./policies.ts"
import type { Records } from "./records.ts"
import { reportLimit } from "./report.ts"

export function changeLimit(records: Records, { limit: name, key, change, by }: ChangeLimitRequest): ChangeLimitAnswer {
  const before = records.limits.limit(name)
  if (!before) return { kind: "unknown_limit", known: records.limits.limitNames().slice(0, 20) }
  const after = withSetting(before, key, apply(inEffect(before.settings[key] ?? noSetting, records.nowMs), change))
  records.limits.saveLimit(after)
  records.limits.logChange({ atMs: records.nowMs, limit: name, key, change, by })
  records.gates.forget()
  if (change.kind === "reset") endCooldowns(records, name, key)
  records.limits.hurry(name)
  const limit = reportLimit(records, after)
  if (!limit) throw new Error(`no limit ${name}`)
  return { kind: "ok", nowMs: records.nowMs, limit }
}

/** Without what has run out: a later change must not bring it back. */
function inEffect(setting: LimitSetting, nowMs: number): LimitSetting {
  const isOver = setting.overrideUntilMs !== null && setting.overrideUntilMs <= nowMs
  return isOver ? { ...setting, override: null, overrideUntilMs: null } : setting
}

function apply(setting: LimitSetting, change: LimitChange): LimitSetting {
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
  const { [key]: _before, ...others } = limit.settings
  const isEmpty = JSON.stringify(setting) === JSON.stringify(noSetting)
  return { ...limit, settings: isEmpty ? others : { ...others, [key]: setting } }
}

/** Of one gate, or of all gates of the limit that are cooling down. */
function endCooldowns(records: Records, limit: string, key: string): void {
  const page = 500
  let afterKey: string | null = null
  for (;;) {
    const stored: readonly StoredGate[] = key === "" ? records.limits.gatesOf(limit, afterKey, page) : []
    const keys = key === "" ? stored.map((one) => one.key) : [key]
    for (const one of keys) {
      const gate = records.gates.gate({ limit, key: one })
      // A success meanwhile sets the count back, and leaves the gate closed.
      const isCooling = gate !== null && (gate.state.cooldown.count > 0 || gate.state.closedUntilUs > 0)
      if (gate && gate.number > 0 && isCooling) records.gates.change(gate, endCooldown(gate.state))
    }
    if (stored.length < page) return
    afterKey = stored.at(-1)?.key ?? null
  }
}
