// B1 over real HTTP: a known limit, counted in seven ways, at seven gates of four worker processes on one SQLite file. By itself:
// `node bench/limits/http/run-b1.mjs [--seed n] [--seconds n]`.
import { percent, rate } from "../tables.mjs"
import { runAlone } from "./alone.mjs"
import { cycleParts, readTimes } from "./cycle-parts.mjs"
import { judge, utilOfCycles } from "./figures.mjs"
import { runProviders } from "./run-providers.mjs"

const workerCount = 4
const limit = { limit: 10, perMs: 10_000 }
const kinds = ["fixed", "offset", "anchored", "sliding", "counter", "bucket", "gcra"]
/** Against these the first refusal teaches: one episode is free, even traffic gets one less from a counter, and it is measured from the third window on. */
const taughtBy = new Set(["counter", "gcra"])
const isTaught = (accounting) => taughtBy.has(accounting)
const told = { leastUtil: 0.98, utilOf: "steady", mostRefused: 0 }
const taught = { leastUtil: 0.97, utilOf: "oneLess", freeEpisodes: 1, mostPerMille: 3 }

const cellOf = (accounting, durationMs) => ({
  id: `B1 ${rate(limit)} ${accounting} over HTTP`,
  bench: "B1 over HTTP",
  name: accounting,
  provider: { accounting, ...limit, burst: accounting === "gcra" ? 2 : undefined, scale: 1 },
  arrivals: "backlog",
  durationMs,
  // Else from the second window on: the first is a burst at the start.
  fromMs: (isTaught(accounting) ? 2 : 0.5) * limit.perMs,
  told: "limit",
  lines: isTaught(accounting) ? taught : told,
})

/** `[{ cell, figures, lines }]`, one for each accounting. Beside the usual figures: `parts`, where the time of a cycle goes. */
export async function runB1OverHttp({ seed = 1, durationMs = 125_000, tell = () => {} } = {}) {
  const cells = kinds.map((accounting) => cellOf(accounting, durationMs))
  tell(`B1 over HTTP: ${cells.length} gates, ${workerCount} processes, ${durationMs / 1_000} s`)
  const run = await runProviders({
    providers: Object.fromEntries(cells.map(({ name, provider }) => [name, provider])),
    network: { seed },
    limits: { api: { rate: `${limit.limit}/${limit.perMs / 1_000}s` } },
    workerCount,
    backlogs: kinds.map((name) => ({ limit: "api", name, size: 4 * limit.limit })),
    durationMs,
    read: readTimes,
  })
  return cells.map((cell) => judge(cell, run, (seen) => moreFigures(cell, run, seen)))
}

function moreFigures({ provider, fromMs }, { found }, { own, observed, startMs }) {
  const steady = utilOfCycles(observed.timesOf(200), startMs + fromMs, provider)
  const utils = { steady, oneLess: (steady * provider.limit) / (provider.limit - 1) }
  return { utils, parts: cycleParts(own, found, provider, startMs + fromMs) }
}

const ms = (part) => ({ head: `${part}, ms`, of: ({ figures }) => figures.parts?.[`${part}Ms`].toFixed(1) })

export const b1Columns = [
  { head: "cell", of: ({ cell }) => cell.id },
  { head: "accepted", of: ({ figures }) => figures.accepted },
  { head: "of the limit", of: ({ figures }) => percent(figures.utils.steady) },
  { head: "429s", of: ({ figures }) => figures.refusedAtAll },
  { head: "episodes", of: ({ figures }) => figures.episodes },
  { head: "waited at least", of: ({ figures }) => figures.leastWaiting },
  ...["excess", "echo", "claim", "send", "way"].map(ms),
]

await runAlone(import.meta.url, runB1OverHttp, b1Columns)
