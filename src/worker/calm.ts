// When a worker that has its hands full makes its next exchange. A turn later: handlers that end in the same turn share one. And where tasks
// pass gates, once the process is calm and the store answers soon: what is claimed there is charged for a start about now, and an answer that
// lies about, here or behind the answers to others, comes too late to start anything.

import type { World } from "../world/index.ts"
import { keptInHand, type WorkerSettings } from "./options.ts"

/** What takes a larger part of `startWithinMs` than this is not soon. */
const soonPart = 1 / 10

export function isSoon(tookMs: number, startWithinMs: number): boolean {
  return tookMs < startWithinMs * soonPart
}

export function nextTurn(world: World): Promise<void> {
  return new Promise((resolve) => world.turn(resolve))
}

/**
 * Until a turn is over soon; but not for longer than a claim has to start within: some handlers never let go. Nor for longer than the part of
 * a lease that is kept in hand: what runs is told of in the same exchange.
 */
export async function untilCalm(
  world: World,
  { startWithinMs, leaseMs }: Pick<WorkerSettings, "startWithinMs" | "leaseMs">,
): Promise<void> {
  const mostMs = Math.min(startWithinMs, leaseMs * keptInHand)
  const beganAtMs = world.monotonicMs()
  for (let atMs = beganAtMs; ; ) {
    await nextTurn(world)
    const nowMs = world.monotonicMs()
    if (isSoon(nowMs - atMs, startWithinMs) || nowMs - beganAtMs >= mostMs) return
    atMs = nowMs
  }
}
