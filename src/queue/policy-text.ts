// A policy in words: "10/10s (unknown, slack 500ms), 5 at once". Policies that differ read differently.

import type { GatePolicy, RatePolicy } from "../limits/index.ts"
import { adaptiveText } from "./adaptive-settings.ts"
import { windowText } from "./window-text.ts"

export function policyText({ rates, concurrency, adaptive, quota }: Partial<GatePolicy>): string {
  const parts = (rates ?? []).map(rateText)
  if (rates?.length === 0 && concurrency === undefined) parts.push("no rate")
  if (typeof concurrency === "number") parts.push(`${concurrency} at once`)
  if (adaptive !== undefined) parts.push(adaptiveText(adaptive))
  if (concurrency === null && parts.length === 0) parts.push("any number at once")
  if (quota !== undefined) parts.push(`quota ${quota}`)
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
