// What chance decides, drawn once: how long each task runs and which gates it passes. Runs that differ in nothing but a limit
// use the same draws, so that what differs between their ends is not noise.

import { drawDurationMs } from "./durations.ts"
import type { Plan, PlannedLimit } from "./plan.ts"
import { type Random, randomFrom } from "./random.ts"

/** A gate on the way of a task: which limit, which of its keys. */
export interface Pass {
  readonly limit: number
  readonly key: number
  readonly cost: number
}

/** Tasks in the order of their coming. */
export interface Drawn {
  /** Those that wait in the store already: they are the first. */
  readonly ahead: number
  readonly durationsMs: Float64Array
  /** Of each task, by number. */
  readonly laneOf: Int32Array
  /** The ways that there are: tasks of one lane pass the same gates. */
  readonly lanes: readonly (readonly Pass[])[]
}

const durationStream = 0
const heldStream = 1
const firstKeyStream = 2

export function draw(plan: Plan): Drawn {
  const waiting = plan.limits.map(keysOfWaiting)
  const ahead = Math.max(0, ...waiting.map((keys) => keys.length))
  const count = ahead + plan.tasks
  const random = randomFrom(plan.seed, durationStream)
  const keysOf = plan.limits.map((limit, i) => keyDrawer(limit, randomFrom(plan.seed, firstKeyStream + i)))
  const lanes: (readonly Pass[])[] = []
  const known = new Map<string, number>()
  const laneOf = Int32Array.from({ length: count }, (_, task) => {
    const passes = task < ahead ? passesOfWaiting(plan, waiting, task) : plan.limits.map(({ cost }, limit) => passOf(limit, keysOf, cost))
    const name = passes.map(({ limit, key, cost }) => `${limit}/${key}/${cost}`).join(" ")
    const lane = known.get(name) ?? lanes.push(passes) - 1
    known.set(name, lane)
    return lane
  })
  const durationsMs = Float64Array.from({ length: count }, () => drawDurationMs(plan.durations, random))
  return { ahead, durationsMs, laneOf, lanes }
}

/** How long those still run that hold slots at the start, one after the other. */
export function heldDurations({ seed, durations }: Plan): () => number {
  const random = randomFrom(seed, heldStream)
  return () => drawDurationMs(durations, random)
}

function passOf(limit: number, keysOf: readonly (() => number)[], cost: number): Pass {
  return { limit, key: keysOf[limit]?.() ?? 0, cost }
}

function keyDrawer({ gates }: PlannedLimit, random: Random): () => number {
  if (gates.length === 1) return () => 0
  const sums: number[] = []
  let sum = 0
  for (const { weight } of gates) {
    sum += weight
    sums.push(sum)
  }
  return () => firstAbove(sums, random() * sum)
}

function firstAbove(sums: readonly number[], value: number): number {
  let [low, high] = [0, sums.length - 1]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sums[middle] ?? 0) > value) high = middle
    else low = middle + 1
  }
  return low
}

/** The key of each task that waits at a gate of the limit, the keys in turn. */
function keysOfWaiting({ gates }: PlannedLimit): number[] {
  const left = gates.map(({ waiting }) => waiting.tasks)
  const keys: number[] = []
  let isAny = left.some((tasks) => tasks > 0)
  while (isAny) {
    isAny = false
    for (const [key, tasks] of left.entries()) {
      if (tasks === 0) continue
      keys.push(key)
      left[key] = tasks - 1
      isAny ||= tasks > 1
    }
  }
  return keys
}

/** A task that waits is counted at every gate that it passes: those that are counted at several limits are taken for the same. */
function passesOfWaiting({ limits }: Plan, waiting: readonly (readonly number[])[], task: number): Pass[] {
  return limits.flatMap(({ gates }, limit) => {
    const key = waiting[limit]?.[task]
    const counted = key === undefined ? undefined : gates[key]?.waiting
    if (key === undefined || !counted) return []
    return [{ limit, key, cost: Math.max(1, Math.round(counted.cost / counted.tasks)) }]
  })
}
