// The plan of the storm: what the task of each number is, the same for every submitter that has the seed.

import type { SubmitOptions } from "../../src/index.ts"
import type { Dice } from "../../src/testing/dice.ts"
import { diceFor } from "./dice-for.ts"
import type { Act, StormInput } from "./storm-tasks.ts"

export interface PlannedTask {
  readonly type: string
  readonly input: StormInput
  readonly options: SubmitOptions
}

/** Out of a hundred. */
const types: readonly (readonly [string, number])[] = [
  ["plain", 44.5],
  ["by-host", 14],
  ["windowed", 10],
  ["metered", 8],
  ["in-room", 14],
  ["both", 9],
  ["long", 0.5],
]
const acts: readonly (readonly [Act, number])[] = [
  ["complete", 90],
  ["retry", 3],
  ["reschedule", 2],
  ["throttle", 0.5],
  ["permit", 2],
  ["spend", 2],
  ["fail", 0.5],
]

/** How the key of a task begins that goes before all others. */
export const urgent = "urgent-"

const longMs = [1_800, 2_500] as const
const shortMs = [0, 5] as const

export function plannedTask(seed: number, number: number): PlannedTask {
  const dice = diceFor(seed, `task ${number}`)
  const type = weighted(dice, types)
  const [least, most] = type === "long" ? longMs : shortMs
  const ms = dice.between(least, most)
  const key = type === "by-host" ? `host-${dice.between(1, 8)}` : `room-${dice.between(1, 4)}`
  return { type, input: { ms, act: weighted(dice, acts), key }, options: options(dice, number) }
}

/** Some are urgent: they go first, and are known by their key. A third can be submitted again; a few have to wait, or are soon too late. */
function options(dice: Dice, number: number): SubmitOptions {
  const isUrgent = dice.chance(0.1)
  return {
    ...(isUrgent ? { priority: 10, idempotencyKey: `${urgent}${number}` } : {}),
    ...(!isUrgent && dice.chance(0.3) ? { idempotencyKey: `task-${number}` } : {}),
    ...(dice.chance(0.03) ? { delay: `${dice.between(50, 400)}ms` } : {}),
    ...(dice.chance(0.015) ? { ttl: dice.pick(["500ms", "1s", "2s"]) } : {}),
  }
}

function weighted<T>(dice: Dice, values: readonly (readonly [T, number])[]): T {
  let left = dice.random() * values.reduce((sum, [, weight]) => sum + weight, 0)
  for (const [value, weight] of values) {
    left -= weight
    if (left < 0) return value
  }
  return (values[0] as readonly [T, number])[0]
}
