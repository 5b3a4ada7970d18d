// A limit in words: what the code says, what people have set, and what holds.

import type { GatePolicy } from "../limits/index.ts"
import { type GateView, type LimitSettingView, type LimitView, policyText } from "../queue/index.ts"
import { canonicalJson } from "../units/index.ts"
import { type Field, field } from "./fields.ts"
import { plain } from "./plain.ts"
import { instantAndRelative, relative } from "./when.ts"

/** "10/10s, 5 at once, adaptive (scout)": without how the other side counts and the numbers of learning, for a column. */
export function policyInShort(policy: GatePolicy): string {
  return policyText(policy).replaceAll(/ \((scout|linear)?[^)]*\)/g, (_match, preset?: string) => (preset ? ` (${preset})` : ""))
}

/** "5/10s (unknown) until 2026-01-28T17:00:00Z (in 1h), paused"; null where nothing is set that holds. */
export function settingText(setting: LimitSettingView | undefined, now: Date): string | null {
  if (!setting) return null
  const { overrideUntil, isPaused, closedUntil } = setting
  const override = overrideOf(setting, now)
  const parts = [
    ...(override ? [`${policyText(override)}${untilText(overrideUntil, now)}`] : []),
    ...(isPaused ? ["paused"] : []),
    ...(closedUntil !== null && closedUntil > now ? [`closed${untilText(closedUntil, now)}`] : []),
  ]
  return parts.length > 0 ? parts.join(", ") : null
}

/** Null also where its time is over. */
function overrideOf(setting: LimitSettingView | undefined, now: Date): Partial<GatePolicy> | null {
  if (!setting) return null
  return setting.overrideUntil === null || setting.overrideUntil > now ? setting.override : null
}

function untilText(at: Date | null, now: Date): string {
  return at === null ? "" : ` until ${instantAndRelative(at, now)}`
}

/** Keys with settings of their own that hold. */
export function keysSet({ settings }: LimitView, now: Date): string[] {
  return Object.keys(settings).filter((key) => key !== "" && settingText(settings[key], now) !== null)
}

export function doesDisagree({ declarations }: LimitView): boolean {
  return new Set(declarations.map(({ policy }) => canonicalJson(policy))).size > 1
}

/** All of it, a field on each line. `whole` is its gate without a key: what holds where no key has settings of its own. */
export function limitFields(limit: LimitView, whole: GateView | undefined, now: Date): Field[] {
  const { base, declarations, settings } = limit
  const declared = doesDisagree(limit) ? declarations : []
  return [
    ...field("limit", limit.name),
    ...field("code", base ? policyText(base) : "no live process declares it"),
    ...field("disagreement", declared.length > 0 ? "live processes declare different policies; the stricter of each part holds" : null),
    ...declared.flatMap(({ policy, seenAt }) =>
      field("declared", `${policyText(policy)}, last ${relative(seenAt.getTime(), now.getTime())}`),
    ),
    ...field("set by hand", settingText(settings[""], now)),
    ...keysSet(limit, now).flatMap((key) => field(`set by hand for ${plain(key)}`, settingText(settings[key], now))),
    ...field("in force", whole ? policyText(whole.policy) : null),
    ...field("gates", String(limit.gateCount)),
    ...field("waiting tasks", String(limit.waitingTasks)),
  ]
}

/** What holds for a gate, in one line: "open; 5/10s (unknown, slack 500ms), 5 at once; set by hand until …". */
export function holdsText(limit: LimitView, gate: GateView, now: Date): string {
  const { isPaused, closedUntil, policy } = gate
  const state = isPaused ? "paused" : closedUntil && closedUntil > now ? `closed${untilText(closedUntil, now)}` : "open"
  return [state, policyText(policy), sourceText(limit, gate.key, now)].join("; ")
}

/** A part that is set for the key goes before one that is set for the limit. */
function sourceText({ settings }: LimitView, key: string, now: Date): string {
  const own = key === "" ? null : overrideOf(settings[key], now)
  const whole = overrideOf(settings[""], now)
  const isWholeUsed = whole !== null && Object.keys(whole).some((part) => !(part in (own ?? {})))
  const until = (of: string) => untilText(settings[of]?.overrideUntil ?? null, now)
  const sources = [
    ...(own ? [`set by hand${until(key)}`] : []),
    ...(isWholeUsed ? [`set by hand${key === "" ? "" : " for the whole limit"}${until("")}`] : []),
  ]
  return sources.join(", and ") || "as the code says"
}
