// What stands above the closing line: how much was looked at, and how it went.

import type { ChaosResult } from "./chaos.ts"
import type { RecoveryTimes } from "./recoveries.ts"
import { leaseMs, type StormResult, sweepMs } from "./storm.ts"
import type { TakeoverTimes } from "./takeovers.ts"

const whole = (value: number) => Math.round(value).toLocaleString("en-US")
const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`
const percent = (share: number) => `${(share * 100).toFixed(2)} %`
/** As many violations are told in words. */
const most = 20

export function table({ options, storms, slots, durationMs, kept }: ChaosResult): string {
  const rows = [
    ["seed", String(options.seed)],
    ["duration", seconds(durationMs)],
    ...storms.flatMap((storm, i) => [...(storms.length > 1 ? [[`storm ${i + 1}`, ""]] : []), ...stormRows(storm)]),
  ]
  if (slots) {
    const { use } = slots
    rows.push(
      ["slot use", `${percent(use.share)}; ${percent(use.strictShare)} where a stopped run counts until it was stopped`],
      ["  over", `${seconds(use.windowMs)} with a backlog, ${whole(use.runs)} runs`],
      ["  killed runs", `${use.killedRuns} (${percent(use.killedShare)}) by ${slots.kills} kills`],
      ["  stopped runs", `${use.stoppedRuns} by ${slots.stalls} stalls`],
    )
  }
  const width = Math.max(...rows.map(([name = ""]) => name.length))
  const violations = [...storms, ...(slots ? [slots] : [])].flatMap(({ report }) => report.violations)
  return [
    ...rows.map(([name = "", value = ""]) => `${name.padEnd(width)}  ${value}`.trimEnd()),
    ...violations.slice(0, most).map(({ kind, message }) => `${kind}: ${message}`),
    ...(violations.length > most ? [`… and ${violations.length - most} more`] : []),
    ...kept.map((folder) => `what was written down, and the store, are in ${folder}`),
  ].join("\n")
}

function takeoverText({ count, p50Ms, p99Ms, maxMs }: TakeoverTimes): string {
  if (count === 0) return "none was seen: no kill found an urgent task without a gate"
  const times = `p50 ${seconds(p50Ms)}, p99 ${seconds(p99Ms)}, at most ${seconds(maxMs)} after the kill`
  return `${times} (${count} urgent tasks without a gate); lease + sweep is ${seconds(leaseMs + sweepMs)}`
}

function recoveryText({ count, p50Ms, maxMs }: RecoveryTimes): string[][] {
  return count === 0 ? [] : [["work goes on", `p50 ${seconds(p50Ms)}, at most ${seconds(maxMs)} after ${count} outages`]]
}

function stormRows({ report: { totals }, takeovers, recoveries, counts, poisoned, cancelled, done, durationMs }: StormResult): string[][] {
  const faults = Object.entries(totals.faults).map(([name, count]) => `${whole(count)} ${name.replace("_", " ")}`)
  const statuses = Object.entries(counts).flatMap(([status, many]) => (many > 0 ? [`${whole(many)} ${status}`] : []))
  const did = Object.entries(done).flatMap(([kind, count]) => (count > 0 ? [`${whole(count)} ${kind}`] : []))
  return [
    ["tasks", `${whole(totals.tasks)}: ${statuses.join(", ")}; ${cancelled} cancelled by hand, ${poisoned} failed as poison`],
    ["took", `${seconds(durationMs)}, ${did.join(", ")}`],
    ["faults", faults.join(", ")],
    ["claims", `${whole(totals.claims)}, of which ${whole(totals.lostLeases)} leases were lost`],
    ["settles", `${whole(totals.settles)}, and ${whole(totals.refusedSettles)} refused`],
    ["unknown answers", whole(totals.unknownOutcomes)],
    ["handler runs", `${whole(totals.runs)}, of which ${whole(totals.overlaps)} overlapped an earlier run of their task`],
    ["admissions", `${whole(totals.admissions)} counted in windows, ${whole(totals.slotsTaken)} in slots`],
    ["takeover", takeoverText(takeovers)],
    ...recoveryText(recoveries),
  ]
}
