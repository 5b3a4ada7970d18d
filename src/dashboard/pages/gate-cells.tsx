// What a gate is like, as cells that several tables share: how full it is, what it has learned, when it opens.

import { nowMs } from "../api/clock.ts"
import type { CoursePoint, GateDocument } from "../api/documents.ts"
import { gateState } from "../parts/gate-state.tsx"
import { Meter } from "../parts/meter.tsx"
import { Spark } from "../parts/spark.tsx"
import { When } from "../parts/when.tsx"
import { distanceText, exactText } from "../text/duration.ts"

export function Levels({ gate }: { readonly gate: GateDocument }) {
  if (gate.levels.length === 0) return <span class="muted">no rate</span>
  return (
    <span class="stack">
      {gate.levels.map(({ used, of, per_ms }) => (
        <Meter key={per_ms} label={`Used of the rate of ${gate.gate}`} used={used} of={of} unit={`in ${exactText(per_ms)}`} />
      ))}
    </span>
  )
}

export function Slots({ gate }: { readonly gate: GateDocument }) {
  if (gate.slots === null) return <span class="muted">any number</span>
  return <Meter label={`In flight at ${gate.gate}`} used={gate.slots.held} of={gate.slots.of} />
}

/** The distance between starts that it keeps, and how it came to that. */
export function Learned({ gate, course = [] }: { readonly gate: GateDocument; readonly course?: readonly CoursePoint[] | undefined }) {
  const { learned } = gate
  if (learned === null) return <span class="muted">–</span>
  const text = learned.every_ms === null ? "no delay" : `every ${distanceText(learned.every_ms)}`
  const points = course.map(({ at, every_ms }) => ({ atMs: Date.parse(at), value: every_ms ?? 0 }))
  return (
    <span class="learned">
      <span>
        {text}
        {learned.error_streak > 0 ? <span class="muted"> after {learned.error_streak} refused in a row</span> : null}
      </span>
      <Spark label={`Learned delay of ${gate.gate} lately: ${text} now`} points={points} toMs={nowMs.value} />
    </span>
  )
}

/** Where only taken slots hold it nobody can tell. */
export function Opens({ gate }: { readonly gate: GateDocument }) {
  const { word } = gateState(gate, nowMs.value)
  if (gate.is_paused) return <span class="muted">when resumed</span>
  if (word === "all slots taken") return <span class="muted">when one ends</span>
  if (word === "open" || gate.opens_at === null) return <span>now</span>
  return <When at={gate.opens_at} />
}
