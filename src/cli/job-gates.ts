// The gates of a job as a table: how the other side's refusals show.

import { isFull } from "../queue/gate-view.ts"
import type { GateView } from "../queue/index.ts"
import { everyText } from "../queue/window-text.ts"
import { opensText, stateWords } from "./gate-text.ts"
import { plain } from "./plain.ts"
import { relative } from "./when.ts"

/** What a gate does to those who pass it: backoff, the how manieth in a row, until when, refusals, the delay to expect, slots. */
export const gateHeadings = ["GATE", "BACKOFF", "ATTEMPT", "UNTIL", "429S", "DELAY", "SLOTS", "WAITING", "STATE"] as const

export function gateRow(gate: GateView, now: Date): string[] {
  const { cooldown, learned, slots, policy } = gate
  const cooling = cooldown !== null && cooldown.until > now ? cooldown : null
  const left = cooling ? Math.ceil((cooling.until.getTime() - now.getTime()) / 1_000) : 0
  const delay = learned?.everyMs == null ? "" : everyText(learned.everyMs)
  const base = policy.concurrency
  return [
    plain(gate.gate),
    cooling ? `${left}s` : "",
    cooling ? String(cooling.count) : "",
    cooling ? relative(cooling.until.getTime(), now.getTime()) : "",
    String(gate.refusals),
    delay === "" ? (isFull(gate, now) ? "until a slot is free" : opensText(gate, now)) : delay,
    slots === null ? "" : `${slots.held}/${slots.of}${base !== null && base !== slots.of ? ` (of ${base})` : ""}`,
    String(gate.waitingTasks),
    stateWords(gate, now).join(", "),
  ]
}
