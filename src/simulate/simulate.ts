// The simulation: one run as planned, and one with a unit more of everything that has held somebody.

import { draw } from "./draw.ts"
import { type Run, run } from "./engine.ts"
import { type Variation, variationsOf } from "./one-more.ts"
import type { Plan } from "./plan.ts"
import { type OneMore, type Simulation, type Told, toldOf } from "./result.ts"

export function simulatePlan(plan: Plan): Simulation {
  const drawn = draw(plan)
  const base = run(plan, drawn)
  const told = toldOf(plan, base, drawn.ahead)
  const oneMore = variationsOf(plan).map((variation) => {
    // More of what has held nobody changes nothing.
    const varied = hasHeld(base, variation) ? toldOf(variation.plan, run(variation.plan, drawn), drawn.ahead) : told
    return oneMoreOf(told, variation, varied)
  })
  return { ...told, oneMore }
}

function hasHeld({ refusing, lackedRoom }: Run, { changed }: Variation): boolean {
  return changed === null ? lackedRoom : refusing.has(changed)
}

function oneMoreOf(told: Told, { limit, of, perMs, from, to }: Variation, { endMs, wait }: Told): OneMore {
  const earlierMs = told.endMs === null || endMs === null ? null : told.endMs - endMs
  return { limit, of, perMs, from, to, endMs, earlierMs, wait }
}
