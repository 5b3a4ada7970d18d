// The figures of the Postgres bench, for a terminal and for a document.
import { markdownTable, median, ratio, textTable, whole } from "../report/figures.mjs"

const ms = (value) => `${value.toFixed(2)} ms`

function rateRows({ subjects, samples, tasks }, key) {
  const head = ["tasks/s", "submit", "process", "worst", "client CPU µs/task: submit", "process", "server CPU µs/task"]
  const others = subjects.filter(({ key: name }) => name !== "sluice")
  const rows = subjects.map(({ key: name, name: shown }) => {
    const own = samples[key][name]
    const of = (read) => median(own.map(read))
    return [
      shown,
      whole(of(({ submit }) => submit.tasksPerS)),
      whole(of(({ work }) => work.tasksPerS)),
      whole(Math.min(...own.map(({ work }) => work.tasksPerS))),
      of(({ submit }) => submit.cpuUs).toFixed(1),
      of(({ work }) => work.cpuUs).toFixed(1),
      own.some(({ serverCpuUs }) => serverCpuUs === null) ? "" : (of(({ serverCpuUs }) => serverCpuUs) / tasks).toFixed(1),
    ]
  })
  const times = others.map(({ key: name, name: shown }) => {
    const own = samples[key].sluice
    const base = samples[key][name]
    const of = (read) => ratio(median(own.map((sample, i) => read(sample) / read(base[i]))))
    return [`Sluice, times ${shown}`, of(({ submit }) => submit.tasksPerS), of(({ work }) => work.tasksPerS), "", "", "", ""]
  })
  return [head, ...rows, ...times]
}

function latencyRows({ subjects, samples }) {
  const rows = subjects.map(({ key, name }) => {
    const of = (read) => ms(median(samples.latency[key].map(read)))
    return [name, of(({ p50 }) => p50), of(({ p99 }) => p99)]
  })
  return [["submit to start at 100 tasks/s", "p50", "p99"], ...rows]
}

function ratesParts(result, table) {
  const { tasks, groups } = result
  return [
    `${whole(tasks)} empty tasks, no limits.`,
    table(rateRows(result, "plain")),
    `${whole(tasks)} empty tasks, each behind the limit of its group, ${whole(groups)} groups.`,
    table(rateRows(result, "grouped")),
    table(latencyRows(result)),
  ]
}

function claimsParts({ blocked, finished }, table) {
  const row = (name, count, { p50, p99 }) => [name, whole(count), ms(p50), ms(p99)]
  const parts = []
  if (blocked)
    parts.push(
      table([
        ["an exchange: 10 tasks settled, 10 claimed behind a limit", "waiting tasks", "p50", "p99"],
        row("empty", 0, blocked.empty),
        row("blocked", blocked.waiting, blocked.full),
      ]),
    )
  if (finished)
    parts.push(
      table([
        ["an exchange: 10 tasks settled, 10 claimed", "finished tasks", "p50", "p99"],
        row("no limit, empty", 0, finished.plain.empty),
        row("no limit, after", finished.finished, finished.plain.full),
        row("behind a limit, empty", 0, finished.gated.empty),
        row("behind a limit, after", finished.finished, finished.gated.full),
      ]),
    )
  return parts
}

export const ratesToText = (result) => ratesParts(result, textTable).join("\n\n")
export const claimsToText = (result) => claimsParts(result, textTable).join("\n\n")

function facts({ date, command, server, settings, machine }) {
  const told = Object.entries(settings).map(([name, value]) => `${name} ${value}`)
  return [
    `- Date: ${date}`,
    `- Command: \`${command}\``,
    `- Server: PostgreSQL ${server}, as it comes: ${told.join(", ")}`,
    `- CPU: ${machine.cpu}`,
    `- Disk: ${machine.disk}; a 4 KiB write with its flush took ${machine.flushMs.toFixed(2)} ms (median) when the run began`,
    `- Runtime: ${machine.node}`,
  ].join("\n")
}

export const ratesToMarkdown = (result) =>
  [
    result.rounds === 1 ? "One round." : `Median of ${result.rounds} rounds; a ratio is taken within each round.`,
    facts(result),
    ...ratesParts(result, markdownTable),
  ].join("\n\n")
export const claimsToMarkdown = (result) => [facts(result), ...claimsParts(result, markdownTable)].join("\n\n")
