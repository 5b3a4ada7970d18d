// The size of a run, and what follows from it.
import { shuffled } from "./random.mjs"

/** Requests a window, and calls at once: the seeds' own figures. */
const limit = 10
const slots = 5
const leaseMs = 3_000
const longestRunMs = 240_000

export function makeShape({ tasks, guilds, windowSeconds, calls, storeFor }) {
  const windowMs = windowSeconds * 1_000
  const windows = Math.ceil(Math.ceil(tasks / guilds) / limit)
  const names = Array.from({ length: tasks }, (_, i) => `guild-${i % guilds}`)
  return {
    tasks,
    guilds,
    calls,
    storeFor,
    limit,
    windowMs,
    slots,
    leaseMs,
    lease: `${leaseMs}ms`,
    longestRunMs,
    /** The first window's share starts at once. */
    idealMs: (windows - 1) * windowMs,
    order: (random) => shuffled(random, names),
  }
}
