// A gate in words: how full it is, when it opens, and what people or the other side have done to it.

import { type GateView, policyText } from "../queue/index.ts"
import { everyText, windowText } from "../queue/window-text.ts"
import { formatDuration } from "../units/index.ts"
import { counted } from "./counted.ts"
import { type Field, field } from "./fields.ts"
import { learnedText } from "./learned-text.ts"
import { plain } from "./plain.ts"
import { instantAndRelative, relative } from "./when.ts"

/** For a column: "10/10 in 10s, 40/100 in 1m", and "every 1.5s" where a distance was learned. */
export function levelText({ levels, learned }: GateView): string {
  return [
    ...levels.map(({ used, of, perMs }) => `${used}/${of} in ${windowText(perMs)}`),
    ...(learned?.everyMs == null ? [] : [`every ${everyText(learned.everyMs)}`]),
  ].join(", ")
}

export function slotsText({ slots }: GateView): string {
  return slots === null ? "" : `${slots.held}/${slots.of}`
}

/** For a cost of one. */
export function opensText({ opensAt }: GateView, now: Date): string {
  if (opensAt === null) return "when resumed"
  return opensAt <= now ? "now" : relative(opensAt.getTime(), now.getTime())
}

/** What is out of the ordinary, in short. */
export function stateWords({ isPaused, closedUntil, cooldown, isOverridden }: GateView, now: Date): string[] {
  const left = (until: Date) => formatDuration(until.getTime() - now.getTime())
  return [
    ...(isPaused ? ["paused"] : []),
    ...(closedUntil !== null && closedUntil > now ? [`closed for ${left(closedUntil)}`] : []),
    ...(cooldown !== null && cooldown.until > now ? [`cools down for ${left(cooldown.until)}`] : []),
    ...(isOverridden ? ["overridden"] : []),
  ]
}

/** All of it, a field on each line. `setting`: what was set for its key by hand, in words. */
export function gateFields(gate: GateView, setting: string | null, now: Date): Field[] {
  const { policy, levels, slots, isOverridden, isPaused, closedUntil, cooldown } = gate
  const until = (at: Date | undefined | null) => (at && at > now ? `until ${instantAndRelative(at, now)}` : null)
  const cooling = until(cooldown?.until)
  return [
    ...field("gate", plain(gate.gate)),
    ...field("policy", `${policyText(policy)}${isOverridden ? " (overridden)" : ""}`),
    ...field("set by hand", setting),
    ...levels.flatMap(({ used, of, perMs }) => field("rate", `${used} of ${of} used in ${windowText(perMs)}`)),
    ...field("learned", learnedText(gate)),
    ...field("slots", slots && `${slots.held} of ${slots.of} held`),
    ...field("waiting", waitingText(gate)),
    ...field("paused", isPaused ? "until somebody resumes it" : null),
    ...field("closed", until(closedUntil)),
    ...field("cooldown", cooling && `${cooling}, after ${counted(cooldown?.count ?? 0, "refusal")} in a row`),
    ...field("opens", opensText(gate, now)),
  ]
}

function waitingText({ waitingTasks, waitingCost }: GateView): string {
  return `${counted(waitingTasks, "task")}${waitingCost === waitingTasks ? "" : ` with a cost of ${waitingCost}`}`
}
