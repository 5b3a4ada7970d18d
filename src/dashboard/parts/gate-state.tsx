// Whether a gate lets anything pass now, in a word, with the countdown where it is a matter of time.

import { nowMs } from "../api/clock.ts"
import type { GateDocument } from "../api/documents.ts"
import { leftText } from "../text/duration.ts"
import { Icon, type IconName } from "./icon.tsx"

export interface GateState {
  readonly icon: IconName
  readonly word: string
  readonly tone: "good" | "warn" | "bad" | "quiet" | "accent"
  /** When it changes by itself. */
  readonly untilMs: number | null
}

/** A gate that is open says that it opens now, by the clock of when it was looked at. */
const nearlyMs = 300

export function gateState(gate: GateDocument, now: number): GateState {
  const closedMs = msOf(gate.closed_until)
  const coolMs = msOf(gate.cooldown?.until ?? null)
  const opensMs = msOf(gate.opens_at)
  if (gate.is_paused) return { icon: "paused", word: "paused", tone: "warn", untilMs: null }
  if (closedMs !== null && closedMs > now) return { icon: "closed", word: "closed", tone: "warn", untilMs: closedMs }
  if (coolMs !== null && coolMs > now) return { icon: "cooling", word: "cooling down", tone: "warn", untilMs: coolMs }
  const isShut = opensMs === null || opensMs > now + nearlyMs
  if (isShut && gate.levels.some(({ used, of }) => used >= of)) return { icon: "full", word: "used up", tone: "accent", untilMs: opensMs }
  if (gate.slots !== null && gate.slots.held >= gate.slots.of)
    return { icon: "full", word: "all slots taken", tone: "accent", untilMs: null }
  if (opensMs !== null && isShut) return { icon: "full", word: "keeps its distance", tone: "accent", untilMs: opensMs }
  return { icon: "open", word: "open", tone: "good", untilMs: null }
}

export function GateMark({ gate }: { readonly gate: GateDocument }) {
  const { icon, word, tone, untilMs } = gateState(gate, nowMs.value)
  const leftMs = untilMs === null ? 0 : untilMs - nowMs.value
  return (
    <span class={`mark tone-${tone}`}>
      <Icon name={icon} />
      {word}
      {leftMs > 0 ? <span class="countdown">{leftText(leftMs)}</span> : null}
    </span>
  )
}

export function msOf(instant: string | null): number | null {
  return instant === null ? null : Date.parse(instant)
}
