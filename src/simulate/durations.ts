// How long a task runs: always the same, or drawn from a lognormal distribution with the given median and 99th percentile.

import { normalFrom, type Random } from "./random.ts"

export type Durations =
  | { readonly kind: "constant"; readonly ms: number }
  | { readonly kind: "lognormal"; readonly p50Ms: number; readonly p99Ms: number }

/** 99 in 100 of a standard normal distribution lie below it. */
const normalP99 = 2.326_347_874

/** Whole milliseconds. What is drawn takes at least one, and at most a thousand times what 99 in 100 take. */
export function drawDurationMs(durations: Durations, random: Random): number {
  if (durations.kind === "constant") return durations.ms
  const { p50Ms, p99Ms } = durations
  const spread = Math.log(p99Ms / p50Ms) / normalP99
  const ms = Math.round(p50Ms * Math.exp(spread * normalFrom(random)))
  return Math.min(Math.max(1, ms), p99Ms * 1_000)
}
