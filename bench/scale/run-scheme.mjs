// One scheme under one load in virtual time: how many operations a task costs, how much of the rate is used, and how much of it bunches.
import { Timeline } from "../../dist/testing/timeline.js"
import { arrivalsOf } from "./demand.mjs"

const wayMs = 1

export function runScheme({ make, load, perSecond, workers, durationMs, seed }) {
  const timeline = new Timeline()
  const starts = []
  const scheme = make({ timeline, perSecond, workers, wayMs, start: () => starts.push(timeline.nowMs) })
  const arrivals = arrivalsOf({ workers, perSecond: load * perSecond, durationMs, seed })
  for (const [worker, times] of arrivals.entries()) feed(timeline, times, () => scheme.arrived(worker))
  while ((timeline.nextAtMs() ?? Number.POSITIVE_INFINITY) <= durationMs) timeline.step()
  return {
    operationsPerTask: scheme.operations / starts.length,
    used: starts.length / possible(arrivals, { perSecond, durationMs }),
    peak: mostWithin(starts, 1_000) / perSecond,
  }
}

/** One at a time: the timeline is asked for the next when this one has come. */
function feed(timeline, times, arrived, i = 0) {
  if (i === times.length) return
  timeline.at(times[i], () => {
    arrived()
    feed(timeline, times, arrived, i + 1)
  })
}

/** What one queue in one place would have started at this rate. */
function possible(arrivals, { perSecond, durationMs }) {
  const gapMs = 1_000 / perSecond
  let nextAtMs = 0
  let count = 0
  for (const atMs of arrivals.flat().sort((a, b) => a - b)) {
    const startMs = Math.max(atMs, nextAtMs)
    nextAtMs = startMs + gapMs
    if (startMs <= durationMs) count++
  }
  return count
}

function mostWithin(times, ms) {
  const sorted = [...times].sort((a, b) => a - b)
  let most = 0
  for (let first = 0, last = 0; last < sorted.length; last++) {
    while (sorted[first] <= sorted[last] - ms) first++
    most = Math.max(most, last - first + 1)
  }
  return most
}
