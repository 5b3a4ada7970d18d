// From the answers of a run to tables: one for each bench, the baselines', and what was missed.
import { forecastCell } from "./forecasts.mjs"
import { scenarios } from "./scenarios.mjs"
import { severalCell } from "./several-limits.mjs"
import { percent, perMille, toMarkdown, toText } from "./tables.mjs"

const sorted = (values) => [...values].sort((a, b) => a - b)
const middle = (values) => sorted(values)[Math.floor((values.length - 1) / 2)]
const most = (values) => Math.max(...values)
const least = (values) => Math.min(...values)
const both = (of, worst) => (runs, write) => {
  const values = runs.map(of)
  if (values.some((value) => value === undefined || value === null)) return values.every((value) => value === undefined) ? null : "never"
  return runs.length === 1 ? write(values[0]) : `${write(middle(values))} / ${write(worst(values))}`
}

const utilOf = ({ lines }) => lines.utilOf ?? "steady"
const columns = [
  { head: "cell", of: ({ cell }) => cell.id.slice(3) },
  { head: "of what is possible", of: ({ cell, runs }) => both(({ figures }) => figures.utils[utilOf(cell)], least)(runs, percent) },
  { head: "429s", of: ({ runs }) => both(({ figures }) => figures.refusedAtAll, most)(runs, String) },
  { head: "in the first hour", of: ({ runs }) => both(({ figures }) => figures.refusedFirstHour, most)(runs, String) },
  { head: "episodes", of: ({ runs }) => both(({ figures }) => figures.episodes, most)(runs, String) },
  { head: "then", of: ({ runs }) => both(({ figures }) => figures.perMille, most)(runs, (value) => perMille(value)) },
  { head: "kept again after", of: ({ runs }) => both(({ figures }) => figures.reconvergeMs, most)(runs, (ms) => `${ms / 1_000} s`) },
  { head: "holds", of: ({ cell, runs }) => heldBy(cell, runs) },
]

function heldBy(cell, runs) {
  if (Object.keys(cell.lines).length === 0) return "no line"
  const held = runs.filter(({ lines }) => lines.every(({ isMet }) => isMet)).length
  return held === runs.length ? "yes" : `${held} of ${runs.length}`
}

const shown = {
  B1: ["cell", "of what is possible", "429s", "episodes", "then", "holds"],
  B2: ["cell", "of what is possible", "429s", "holds"],
  B3: ["cell", "of what is possible", "in the first hour", "then", "holds"],
  B4: ["cell", "429s", "kept again after", "holds"],
  B9: ["cell", "of what is possible", "429s", "holds"],
  B10: ["cell", "of what is possible", "429s", "then", "holds"],
}
const titles = {
  B1: "B1: a limit that is known",
  B2: "B2: aligned windows, skewed clocks, jitter",
  B3: "B3: a limit that nobody has told",
  B4: "B4: a limit that changes after an hour",
  B9: "B9: costs that are learned",
  B10: "B10: half an hour without work, then a backlog",
}

/** `[{ title, head, rows }]`, and every line that was missed. */
export function report(jobs, answers) {
  const byCell = new Map()
  const baselines = []
  const special = { forecasts: [], several: [] }
  for (const [i, job] of jobs.entries()) {
    const answer = answers[i]
    if (job.kind !== "cell") special[job.kind].push({ seed: job.seed, ...answer })
    else if (job.client !== "Sluice") baselines.push({ ...job, ...answer })
    else byCell.set(job.cellId, [...(byCell.get(job.cellId) ?? []), { seed: job.seed, ...answer }])
  }
  const rows = scenarios.flatMap((cell) => (byCell.has(cell.id) ? [{ cell, runs: byCell.get(cell.id) }] : []))
  const tables = Object.keys(shown).flatMap((bench) => {
    const own = rows.filter(({ cell }) => cell.bench === bench)
    return own.length === 0 ? [] : [{ title: titles[bench], columns: columns.filter(({ head }) => shown[bench].includes(head)), rows: own }]
  })
  return {
    tables: [
      ...tables,
      ...knownTable(baselines, rows),
      ...unknownTable(baselines, rows),
      ...forecastTable(special.forecasts),
      ...severalTable(special.several),
    ],
    missed: [...missedOf(rows), ...missedForecasts(special.forecasts), ...missedSeveral(special.several)],
  }
}

const missedOf = (rows) =>
  rows.flatMap(({ cell, runs }) =>
    runs.flatMap(({ seed, lines }) =>
      lines.filter(({ isMet }) => !isMet).map(({ what, wanted, got }) => `${cell.id}, seed ${seed}: ${what}: ${got}, wanted ${wanted}`),
    ),
  )

const short = ({ utils, perMille: refused }) => `${percent(utils.steady)}, ${perMille(refused)}`

/** Sluice's runs of the cells that others did as well. */
function besides(own, rows) {
  return {
    cells: [...new Set(own.map(({ cellId }) => cellId))],
    clients: ["Sluice", ...new Set(own.map(({ client }) => client))],
    figures: (client, cellId) =>
      client === "Sluice"
        ? rows.find(({ cell }) => cell.id === cellId)?.runs[0].figures
        : own.find((one) => one.client === client && one.cellId === cellId)?.figures,
  }
}

/** Clients that are told the limit, beside Sluice, on each way of counting. */
function knownTable(baselines, rows) {
  const own = baselines.filter(({ cellId }) => cellId.startsWith("B1"))
  if (own.length === 0) return []
  const { cells, clients, figures } = besides(own, rows)
  const head = { head: "10/10 s, backlog", of: (client) => client }
  const others = cells.map((cellId) => ({ head: cellId.split(" ").at(-2), of: (client) => short(figures(client, cellId)) }))
  return [{ title: "Beside others that are told the limit: accepted, refused", columns: [head, ...others], rows: clients }]
}

/** Clients that have to find the limit, beside Sluice. */
function unknownTable(baselines, rows) {
  const own = baselines.filter(({ cellId }) => !cellId.startsWith("B1"))
  if (own.length === 0) return []
  const { cells, clients, figures } = besides(own, rows)
  const text = (found) =>
    found
      ? `${found.refusedAtAll}; ${short(found)}${found.reconvergeMs === undefined ? "" : `; ${found.reconvergeMs === null ? "never" : `${found.reconvergeMs / 1_000} s`}`}`
      : "-"
  const head = { head: "429s; accepted, refused after an hour; kept again after", of: (cellId) => cellId }
  return [
    {
      title: "Beside others that have to find it",
      columns: [head, ...clients.map((client) => ({ head: client, of: (cellId) => text(figures(client, cellId)) }))],
      rows: cells,
    },
  ]
}

const seconds = (ms) => `${(ms / 1_000).toFixed(1)} s`

function forecastTable(runs) {
  if (runs.length === 0) return []
  const of = [
    { head: "seed", of: ({ seed }) => seed },
    { head: "forecasts", of: ({ forecasts }) => forecasts },
    { head: "error, median", of: ({ p50Ms }) => seconds(p50Ms) },
    { head: "p99", of: ({ p99Ms }) => seconds(p99Ms) },
    { head: "p99, first hour", of: ({ p99FirstHourMs }) => seconds(p99FirstHourMs) },
    { head: "p99, sixth hour", of: ({ p99LastHourMs }) => seconds(p99LastHourMs) },
    { head: "cancelled", of: ({ cancelled }) => cancelled },
    { head: "started", of: ({ started }) => started },
  ]
  return [{ title: "B5: forecasts", columns: of, rows: runs }]
}

const missedForecasts = (runs) =>
  runs.flatMap(({ seed, p99Ms, driftMs }) => [
    ...(p99Ms <= forecastCell.provider.perMs
      ? []
      : [`${forecastCell.id}, seed ${seed}: p99 of the error: ${seconds(p99Ms)}, wanted one window`]),
    ...(driftMs === 0 ? [] : [`${forecastCell.id}, seed ${seed}: the error has grown by ${seconds(driftMs)}, wanted 0`]),
  ])

function severalTable(runs) {
  if (runs.length === 0) return []
  const of = [
    { head: "seed", of: ({ seed }) => seed },
    { head: "of what is possible", of: ({ util }) => percent(util) },
    { head: "tenants apart by", of: ({ spread }) => spread },
    { head: `most at once of ${severalCell.modelSlots}`, of: ({ mostAtOnce }) => mostAtOnce },
  ]
  return [{ title: "B7: several limits at once", columns: of, rows: runs }]
}

const missedSeveral = (runs) =>
  runs.flatMap(({ seed, util, spread, mostAtOnce }) => [
    ...(util >= 0.99 ? [] : [`${severalCell.id}, seed ${seed}: ${percent(util)}, wanted >= 99 %`]),
    ...(spread <= 1 ? [] : [`${severalCell.id}, seed ${seed}: tenants apart by ${spread}, wanted <= 1`]),
    ...(mostAtOnce <= severalCell.modelSlots ? [] : [`${severalCell.id}, seed ${seed}: ${mostAtOnce} at once`]),
  ])

export const asText = ({ tables }) => tables.map(({ title, columns: of, rows }) => `${title}\n\n${toText(of, rows)}`).join("\n\n")
export const asMarkdown = ({ tables }) =>
  tables.map(({ title, columns: of, rows }) => `### ${title}\n\n${toMarkdown(of, rows)}`).join("\n\n")
