// From what the provider of a cell saw to figures, and from these to the lines that the cell is held to.
import { episodes, reconvergedMs } from "./measure.mjs"
import { mostOfArrivals, mostOfBacklog } from "./oracle.mjs"
import { percent, perMille } from "./tables.mjs"

const hourMs = 3_600_000

/** `provider` with times as they were in the run, `log` from createLog, `trace` where there were arrivals. */
export function figuresOf({ fromMs, refusedFromMs = 0, durationMs, lines }, { provider, log, startMs, trace }) {
  const [measuredMs, toMs] = [startMs + fromMs, startMs + durationMs]
  const refusedAtMs = log.timesOf(429)
  const all = episodes(refusedAtMs)
  const free = all.slice(0, lines.freeEpisodes ?? 0).reduce((total, { size }) => total + size, 0)
  const counts = log.between(measuredMs, toMs)
  const refusedSince = (ms) => refusedAtMs.slice(free).filter((atMs) => atMs >= ms).length
  const change = provider.changes?.[0]
  return {
    ...counts,
    utils: utilsOf(provider, counts, { measuredMs, startMs, toMs, trace, log }),
    refusedAtAll: refusedAtMs.length,
    episodes: all.length,
    free,
    refused: refusedSince(startMs + refusedFromMs),
    perMille: counts.requests === 0 ? 0 : (refusedSince(measuredMs) / counts.requests) * 1_000,
    refusedFirstHour: refusedAtMs.filter((atMs) => atMs < startMs + hourMs).length,
    reconvergeMs: change ? reconvergedMs(log, { changedAtMs: change.atMs, toMs, limit: change.limit, perMs: provider.perMs }) : undefined,
  }
}

function utilsOf(provider, { acceptedCost }, { measuredMs, startMs, toMs, trace, log }) {
  if (trace) return { arrivals: log.between(startMs, toMs).acceptedCost / mostOfArrivals(provider, trace, { toMs }).accepted }
  const { steady, oneLess } = mostOfBacklog(provider, { fromMs: measuredMs, toMs })
  return { steady: acceptedCost / steady, oneLess: acceptedCost / oneLess }
}

const atMost = (what, most, got, write = String) => ({ what, wanted: `<= ${write(most)}`, got: write(got), isMet: got <= most })

const judges = {
  leastUtil: ({ leastUtil, utilOf }, { utils }) => ({
    what: `accepted of what is possible (${utilOf})`,
    wanted: `>= ${percent(leastUtil)}`,
    got: percent(utils[utilOf]),
    isMet: utils[utilOf] >= leastUtil,
  }),
  mostRefused: (lines, { refused }) => atMost("429s", lines.mostRefused, refused),
  mostPerMille: (lines, figures) => atMost("429s a thousand requests", lines.mostPerMille, figures.perMille, perMille),
  mostRefusedFirstHour: (lines, figures) => atMost("429s in the first hour", lines.mostRefusedFirstHour, figures.refusedFirstHour),
  mostDebt: (lines, { debt }) => atMost("spent beyond what had flowed in", lines.mostDebt, debt),
  mostReconvergeMs: (lines, { reconvergeMs }) =>
    atMost("kept the new limit after", lines.mostReconvergeMs, reconvergeMs ?? Number.POSITIVE_INFINITY, (ms) =>
      Number.isFinite(ms) ? `${ms / 1_000} s` : "never",
    ),
}

/** `[{ what, wanted, got, isMet }]` */
export const linesOf = ({ lines }, figures) =>
  Object.keys(judges)
    .filter((name) => lines[name] !== undefined)
    .map((name) => judges[name](lines, figures))
