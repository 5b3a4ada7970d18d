// A simulation in words: the answer first, then the figures, what binds, and what one unit more would buy.

import { windowText } from "../queue/index.ts"
import type { Binding, OneMore, Simulation } from "../simulate/index.ts"
import { formatDuration } from "../units/index.ts"
import { counted } from "./counted.ts"
import { headed } from "./headed.ts"
import type { Session } from "./session.ts"
import { table } from "./table.ts"

export function simulationLines(session: Session, simulation: Simulation): string[] {
  const { binds, oneMore } = simulation
  const facts = factsOf(simulation).map(([name, text]) => [{ text: name }, { text }])
  return [
    answerText(simulation),
    "",
    ...table(facts, { width: session.io.stdout.columns }),
    ...(binds.length === 0 ? [] : ["", ...bindsTable(session, binds)]),
    ...(oneMore.length === 0 ? [] : ["", ...oneMoreTable(session, simulation)]),
  ]
}

/** "ends in 1d 3h: the rate of vendor-api binds 98 % of the time". */
function answerText({ endMs, binds, lastArrivalMs }: Simulation): string {
  const [first] = binds
  if (endMs === null) return `never ends: ${first ? `${holderText(first)} lets nothing more pass` : "nothing passes"}`
  const after = lastArrivalMs > 0 ? `, ${formatDuration(endMs - lastArrivalMs)} after the last task has come` : ""
  const held = first && first.share > 0 ? `${holderText(first)} binds ${percentText(first.share)} of the time` : "nothing binds"
  return `ends in ${formatDuration(endMs)}${after}: ${held}`
}

function holderText({ limit, by }: Pick<Binding, "limit" | "by">): string {
  if (limit === null) return "the room of the workers"
  const parts = { rate: "the rate", concurrency: "the concurrency", pace: "the learned pace", closed: "the closing", workers: "the room" }
  return `${parts[by]} of ${limit}`
}

function percentText(share: number): string {
  const percent = share * 100
  // What binds a little is not shown as if it did not, nor what binds almost always as if it always did.
  if (percent > 0 && percent < 1) return "< 1 %"
  return `${percent > 99 && percent < 100 ? 99 : Math.round(percent)} %`
}

function factsOf({ tasks, ahead, perSecond, wait, mostRunning, lastArrivalMs, waitingAtLastArrival }: Simulation): [string, string][] {
  const waits = [
    `p50 ${formatDuration(wait.p50Ms)}`,
    `p95 ${formatDuration(wait.p95Ms)}`,
    `p99 ${formatDuration(wait.p99Ms)}`,
    `longest ${formatDuration(wait.maxMs)}`,
  ]
  return [
    ["tasks", ahead === 0 ? String(tasks) : `${tasks}, behind ${ahead} that wait already`],
    ...(perSecond === null ? [] : [["throughput", throughputText(perSecond)] as [string, string]]),
    ["wait", waits.join(", ")],
    ["running", `${mostRunning} at once at most`],
    ...(lastArrivalMs === 0 ? [] : [["backlog", `${counted(waitingAtLastArrival, "task")} when the last one comes`] as [string, string]]),
  ]
}

/** To three digits, per the unit in which it is a number that people know. */
function throughputText(perSecond: number): string {
  const units: readonly (readonly [number, string])[] = [
    [1, "s"],
    [60, "min"],
    [3_600, "h"],
    [86_400, "d"],
  ]
  const [seconds, unit] = units.find(([one]) => perSecond * one >= 1) ?? [86_400, "d"]
  return `${Number((perSecond * seconds).toPrecision(3))}/${unit}`
}

function bindsTable(session: Session, binds: readonly Binding[]): string[] {
  const rows = binds.map((one) => [one.limit ?? "workers", one.limit === null ? "room" : one.by, percentText(one.share)])
  return headed(session, ["HELD BY", "ITS", "SHARE"], rows, [2])
}

function oneMoreTable(session: Session, { oneMore, lastArrivalMs, wait }: Simulation): string[] {
  const rows = oneMore.map((one) => {
    const earlier = earlierText(one.earlierMs, one.endMs)
    const ends = one.endMs === null ? "never" : formatDuration(one.endMs)
    const waits = lastArrivalMs === 0 ? [] : [`${formatDuration(one.wait.p95Ms)} instead of ${formatDuration(wait.p95Ms)}`]
    return [one.limit ?? "workers", `${unitText(one, one.from)} -> ${unitText(one, one.to)}`, ends, earlier, ...waits]
  })
  return headed(session, ["ONE MORE", "UNIT", "ENDS IN", "EARLIER BY", ...(lastArrivalMs === 0 ? [] : ["WAIT (P95)"])], rows)
}

function unitText({ of, perMs }: OneMore, units: number): string {
  return of === "rate" && perMs !== null ? `${units}/${windowText(perMs)}` : `${units} at once`
}

function earlierText(earlierMs: number | null, endMs: number | null): string {
  if (earlierMs === null) return endMs === null ? "nothing" : "it ends"
  if (earlierMs === 0) return "nothing"
  return earlierMs > 0 ? formatDuration(earlierMs) : `later by ${formatDuration(-earlierMs)}`
}
