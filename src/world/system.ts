// The real world. The only file that may touch the platform's clock, timers, randomness and network.

import { randomFillSync } from "node:crypto"
import type { Timer, World } from "./world.ts"

/** What one `setTimeout` can hold; a longer one would fire at once, so longer delays are armed in pieces. */
const longestTimerMs = 2 ** 31 - 1

function timer(delayMs: number, run: () => void): Timer {
  let handle: NodeJS.Timeout
  const dueAtMs = performance.now() + delayMs
  const arm = () => {
    const leftMs = dueAtMs - performance.now()
    handle = leftMs > longestTimerMs ? setTimeout(arm, longestTimerMs) : setTimeout(run, Math.max(0, Math.ceil(leftMs)))
  }
  arm()
  return { cancel: () => clearTimeout(handle) }
}

// Random bytes are taken from a pool: a task id needs eight, and a system call for each would cost more than the id.
const pool = new Uint8Array(4096)
let used = pool.length

function randomBytes(count: number): Uint8Array {
  if (count > pool.length) return randomFillSync(new Uint8Array(count))
  if (used + count > pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += count
  return pool.slice(used - count, used)
}

export const systemWorld: World = {
  wallMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  timer,
  turn: (run) => void setImmediate(run),
  random: () => Math.random(),
  randomBytes,
  fetch: (url, init) => fetch(url, init),
}
