// What a gate has learned, in words.

import type { GateView } from "../queue/index.ts"
import { everyText } from "../queue/window-text.ts"
import { counted } from "./counted.ts"

/** "a start every 1.5s, learned (linear): floor 500ms, 429 streak 2, 7 answers since; 8 of 10 slots". Null where it learns nothing. */
export function learnedText({ learned, policy }: GateView): string | null {
  if (learned === null) return null
  const { preset, everyMs, slots, errorStreak, successStreak, delayFloorMs } = learned
  const how = preset ?? "after refusals"
  if (learned.version === 0) return `nothing yet (${how})`
  const details = [
    ...(delayFloorMs > 0 ? [`floor ${everyText(delayFloorMs)}`] : []),
    ...(errorStreak > 0 ? [`429 streak ${errorStreak}`] : []),
    ...(successStreak > 0 ? [`${counted(successStreak, "answer")} since`] : []),
  ]
  const pace = everyMs === null ? "no distance between starts" : `a start every ${everyText(everyMs)}`
  const fewer = slots !== null && policy.concurrency !== null && slots < policy.concurrency
  return [
    `${pace}, learned (${how})${details.length > 0 ? `: ${details.join(", ")}` : ""}`,
    ...(fewer ? [`${slots} of ${policy.concurrency} slots`] : []),
  ].join("; ")
}
