// From the figures of a run to tables: for a terminal and for RESULTS.md.
import { markdownTable, tenths, textTable, whole } from "../report/figures.mjs"

const none = "—"
const seconds = (ms) => (ms / 1_000).toFixed(2)
const percent = (part) => `${tenths(part * 100)} %`

function rateTable({ rates }) {
  const head = [
    "rate limit",
    "provider",
    "time, s",
    "of ideal",
    "429s",
    "never accepted",
    "most in a window",
    "lost at the kill",
    "forecasts right",
  ]
  const rows = rates.map(({ name, counting, ofIdeal, isDurable, ...run }) => [
    name,
    counting,
    seconds(run.ms),
    run.neverAccepted > 0 ? none : percent(ofIdeal),
    whole(run.refused),
    whole(run.neverAccepted),
    whole(run.mostInWindow),
    isDurable ? whole(run.lost) : none,
    isDurable ? percent(run.forecasts.within / run.forecasts.count) : none,
  ])
  return [head, ...rows]
}

function excessTable({ rates }) {
  const figures = [
    ["first window used up", (run) => run.firstWindowMs],
    ["beyond a window", (run) => run.excessMs],
    ["claim to arrival", (run) => run.claimToArrivalMs],
    ["forecast error", (run) => run.forecasts?.errorMs],
  ]
  const picks = ["median", "p99", "most"]
  const head = ["where time goes, ms", "provider", ...figures.flatMap(([name]) => [name, "p99", "most"])]
  const cells = (spread) => picks.map((pick) => (spread ? whole(spread[pick]) : none))
  return [head, ...rates.map((run) => [run.name, run.counting, ...figures.flatMap(([, of]) => cells(of(run)))])]
}

function slotTable({ slots }) {
  const head = [
    "concurrency limit",
    "calls",
    "time, s",
    "most in flight",
    "slots busy",
    "kills",
    "slots back, worst ms",
    "lost",
    "timed out",
    "completed",
  ]
  const cells = [
    whole(slots.calls),
    seconds(slots.ms),
    whole(slots.mostInFlight),
    percent(slots.busy),
    whole(slots.kills),
    whole(slots.worstRecoveryMs),
    whole(slots.lost),
    `${slots.timedOut} of ${slots.hung}`,
    `${slots.completedOnce} of ${slots.others}`,
  ]
  return [head, ["Sluice", ...cells]]
}

function lineTable({ lines }) {
  return [
    ["pass line", "case", "wanted", "got", "met"],
    ...lines.map(({ what, of, wanted, got, isMet }) => [what, of, wanted, got, isMet ? "yes" : "NO"]),
  ]
}

function facts({ date, command, seed, machine }) {
  return {
    Date: date,
    Command: `\`${command}\``,
    Seed: String(seed),
    CPU: machine.cpu,
    Memory: machine.memory,
    Disk: `${machine.disk}; a 4 KiB write with its flush took ${machine.flushMs.toFixed(2)} ms (median) when the run began`,
    Runtime: machine.node,
  }
}

function tablesOf(result) {
  return [
    ...(result.rates.length > 0 ? [rateTable(result), excessTable(result)] : []),
    ...(result.slots ? [slotTable(result)] : []),
    ...(result.lines.length > 0 ? [lineTable(result)] : []),
  ]
}

const titleOf = ({ tasks, guilds, limit, windowMs }) =>
  `${whole(tasks)} tasks in ${whole(guilds)} guilds, ${limit} per ${windowMs / 1_000} s and guild`

export function toText(result) {
  const lines = Object.entries(facts(result)).map(([name, value]) => `${name}: ${value.replaceAll("`", "")}`)
  return [titleOf(result), lines.join("\n"), ...tablesOf(result).map(textTable)].join("\n\n")
}

export function toMarkdown(result) {
  const lines = Object.entries(facts(result)).map(([name, value]) => `- ${name}: ${value}`)
  return [`${titleOf(result)}.`, lines.join("\n"), ...tablesOf(result).map(markdownTable)].join("\n\n")
}
