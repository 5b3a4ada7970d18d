// What a run of the benchmark consists of: Sluice on every cell, and the baselines beside it on the cells that they can do.
import { finding, knowing } from "./clients/run.mjs"
import { baseProviders, providerName, scenarios } from "./scenarios.mjs"

const isKnownBaseline = ({ bench, id, arrivals }) => bench === "B1" && id.startsWith("B1 10/10 s") && arrivals === "backlog"
const bases = baseProviders.map((provider) => `B3 ${providerName(provider)} none`)
const isUnknownBaseline = ({ id, bench }) => bases.includes(id) || (bench === "B4" && id.endsWith("none"))

/** Cells whose course is drawn. */
export const isDrawn = isUnknownBaseline

/** `only`: the names of benches, `matching`: of cells, `seeds`: how many. */
export function jobsFor({ only, matching, seeds }) {
  const cells = scenarios.filter(({ bench, id }) => only.includes(bench) && matching.test(id))
  const jobs = []
  for (const cell of cells) {
    for (const seed of cell.seeds.slice(0, seeds)) {
      jobs.push({ kind: "cell", client: "Sluice", cellId: cell.id, seed, wantsTimes: isDrawn(cell) && seed === 1 })
    }
    const clients = isKnownBaseline(cell) ? knowing : isUnknownBaseline(cell) ? finding : {}
    // One seed: they are there to compare with, and some of them send a hundred times as much.
    for (const client of Object.keys(clients)) {
      if (client === "seed 000" && cell.bench !== "B1") continue
      jobs.push({ kind: "cell", client, cellId: cell.id, seed: 1, wantsTimes: isDrawn(cell) })
    }
  }
  for (let seed = 1; seed <= seeds; seed++) {
    if (only.includes("B5") && matching.test("B5")) jobs.push({ kind: "forecasts", seed })
    if (only.includes("B7") && matching.test("B7")) jobs.push({ kind: "several", seed })
  }
  return jobs.sort((a, b) => weightOf(b) - weightOf(a))
}

/** The longest first, so that no thread is left with one of them at the end. */
function weightOf({ cellId, kind }) {
  const cell = scenarios.find(({ id }) => id === cellId)
  if (!cell) return kind === "several" ? 30_000 : 20_000
  return (cell.provider.limit / cell.provider.perMs) * cell.durationMs
}
