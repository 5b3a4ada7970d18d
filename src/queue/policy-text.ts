// A policy in words: "10/10s (unknown, slack 500ms), 5 at once". Policies that differ read differently.

import type { GatePolicy, RatePolicy } from "../limits/index.ts"
import { formatDuration, parseDuration } from "../units/index.ts"

export function policyText({ rates, concurrency }: Partial<GatePolicy>): string {
  const parts = (rates ?? []).map(rateText)
  if (rates?.length === 0 && concurrency === undefined) parts.push("no rate")
  if (typeof concurrency === "number") parts.push(`${concurrency} at once`)
  if (concurrency === null && parts.length === 0) parts.push("any number at once")
  return parts.join(", ")
}

function rateText({ limit, perUs, provider, burst, phaseUs, guardUs, slackUs }: RatePolicy): string {
  const details: Readonly<Record<typeof provider, readonly string[]>> = {
    sliding: [],
    unknown: [`slack ${windowText(slackUs / 1_000)}`],
    fixed: [`guard ${windowText(guardUs / 1_000)}`, ...(phaseUs === 0 ? [] : [`phase ${windowText(phaseUs / 1_000)}`])],
    bucket: [`burst ${burst}`],
  }
  return `${limit}/${windowText(perUs / 1_000)} (${[provider, ...details[provider]].join(", ")})`
}

/** As it is, where `formatDuration` would leave out what is beyond its two largest units. */
export function windowText(ms: number): string {
  const text = formatDuration(ms)
  return parseDuration("window", text) === ms ? text : `${ms}ms`
}
