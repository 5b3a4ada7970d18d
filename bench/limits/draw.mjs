// Charts of a run: the accepted rate of Sluice and of the baselines, and the true limit, over time.
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { writeChart } from "./chart.mjs"
import { binned } from "./measure.mjs"
import { scenarios } from "./scenarios.mjs"

/** Enough to see how a limit is found, and how a change is followed. */
const hourMs = 3_600_000
const spans = { B3: { fromMs: 0, toMs: hourMs }, B4: { fromMs: hourMs - 600_000, toMs: hourMs + 1_800_000 } }

export function draw(jobs, answers, folder) {
  mkdirSync(folder, { recursive: true })
  const drawn = new Map()
  for (const [i, { cellId, client }] of jobs.entries()) {
    const { times } = answers[i]
    if (times) drawn.set(cellId, [...(drawn.get(cellId) ?? []), { client, times }])
  }
  const files = []
  for (const [cellId, runs] of drawn) {
    const cell = scenarios.find(({ id }) => id === cellId)
    const [first] = runs
    const { startMs } = first.times
    const span = spans[cell.bench]
    const [fromMs, toMs] = [startMs + span.fromMs, startMs + span.toMs]
    const perSecond = (limit) => (limit / cell.provider.perMs) * 1_000
    const binMs = Math.max(cell.provider.perMs, 60_000)
    const changes = (cell.provider.changes ?? []).map(({ atMs, limit }) => ({ atMs: startMs + atMs, perSecond: perSecond(limit) }))
    const svg = writeChart({
      title: cellId,
      fromMs,
      toMs,
      limit: [{ atMs: fromMs, perSecond: perSecond(cell.provider.limit) }, ...changes],
      series: runs
        .sort((a, b) => (a.client === "Sluice" ? -1 : b.client === "Sluice" ? 1 : 0))
        .map(({ client, times }) => ({
          name: client,
          points: binned(times.acceptedAtMs, { fromMs, toMs, binMs }),
          refusedAtMs: times.refusedAtMs.filter((atMs) => atMs >= fromMs && atMs < toMs),
        })),
    })
    const file = `${cellId.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")}.svg`
    writeFileSync(join(folder, file), svg)
    files.push(file)
  }
  return files
}
