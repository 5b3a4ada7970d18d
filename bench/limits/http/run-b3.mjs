// B3 over real HTTP: a limit that nobody has told, at several gates of two worker processes on one SQLite file. Time is scaled: the
// providers' hours pass in minutes, and so do those of scout. By itself: `node bench/limits/http/run-b3.mjs [--seed n] [--scale n]
// [--seconds n]`.
import { scoutDefaults } from "../../../dist/limits/index.js"
import { providerName } from "../scenarios.mjs"
import { percent, perMille } from "../tables.mjs"
import { runAlone } from "./alone.mjs"
import { judge } from "./figures.mjs"
import { runProviders } from "./run-providers.mjs"

const workerCount = 2
const hourMs = 3_600_000
const providers = [
  { accounting: "fixed", limit: 100, perMs: 60_000, slower: 1 },
  // Twenty times as fast, its whole burst would be a tenth of a second of ours: a busy machine holds up a request for as long.
  { accounting: "bucket", limit: 5, perMs: 1_000, burst: 10, slower: 2 },
]
const lines = { mostRefusedFirstHour: 20, leastUtil: 0.93, utilOf: "steady", mostPerMille: 8 }

function cellOf({ slower, ...provider }, dialect, fastest, durationMs) {
  const scale = fastest / slower
  const id = `B3 ${providerName(provider)} ${dialect} over HTTP, ${scale} times as fast`
  const name = `${provider.accounting}-${dialect}`
  return {
    id,
    bench: "B3 over HTTP",
    name,
    provider: { ...provider, dialect, scale },
    arrivals: "backlog",
    durationMs: durationMs * scale,
    // Of one that is slower no whole hour passes before the figures are taken; it is held to the same.
    fromMs: hourMs / slower,
    told: "nothing",
    lines,
  }
}

/** Every time of scout is shorter by the scale. Counts and shares stay, and so does the fastest pace, which nobody comes near. */
function scaledScout(scale) {
  const ms = (us) => `${Math.max(1, Math.round(us / 1_000 / scale))}ms`
  const pace = (us) => `1/${ms(us)}`
  const { startUs, mostUs, growEveryUs, canaryUs, canarySlowUs, canaryLostUs, toleratedUs, restUs, restMostUs, windowUs } = scoutDefaults
  return {
    preset: "scout",
    start: pace(startUs),
    min: pace(mostUs),
    growEvery: ms(growEveryUs),
    canary: ms(canaryUs),
    canarySlow: ms(canarySlowUs),
    canaryLost: ms(canaryLostUs),
    toleratedEvery: ms(toleratedUs),
    rest: ms(restUs),
    restMax: ms(restMostUs),
    window: ms(windowUs),
  }
}

/** As many as may pass in several seconds of ours, and a start's worth. */
const backlogSize = ({ limit, perMs, scale }) => Math.ceil((limit / perMs) * 8_000 * scale) + 200
const limitName = ({ scale }) => `scout-${scale}`

/** `[{ cell, figures, lines }]`. The duration is of real time: an hour of the fastest providers, and a third of one to measure. */
export async function runB3OverHttp({ seed = 1, scale = 20, durationMs = Math.ceil((4 / 3) * (hourMs / scale)), tell = () => {} } = {}) {
  const cells = providers.flatMap((provider) => ["none", "retry-after"].map((dialect) => cellOf(provider, dialect, scale, durationMs)))
  tell(`B3 over HTTP: ${cells.length} gates, ${workerCount} processes, ${Math.round(durationMs / 1_000)} s, ${scale} times as fast`)
  const run = await runProviders({
    providers: Object.fromEntries(cells.map(({ name, provider }) => [name, provider])),
    network: { seed },
    limits: Object.fromEntries(cells.map(({ provider }) => [limitName(provider), { adaptive: scaledScout(provider.scale) }])),
    workerCount,
    backlogs: cells.map(({ name, provider }) => ({ limit: limitName(provider), name, size: backlogSize(provider) })),
    durationMs,
    retention: "1m",
  })
  return cells.map((cell) => judge(cell, run))
}

export const b3Columns = [
  { head: "cell", of: ({ cell }) => cell.id },
  { head: "of the limit, after an hour", of: ({ figures }) => percent(figures.utils.steady) },
  { head: "429s in the first hour", of: ({ figures }) => figures.refusedFirstHour },
  { head: "429s", of: ({ figures }) => figures.refusedAtAll },
  { head: "after an hour", of: ({ figures }) => perMille(figures.perMille) },
  { head: "waited at least", of: ({ figures }) => figures.leastWaiting },
]

await runAlone(import.meta.url, runB3OverHttp, b3Columns)
