// One client on one cell of scenarios.mjs with one seed. The parts that a cell leaves open are the same for every client: the phase of
// the start within a window, the arrivals, the network, the neighbour.
import { seeded } from "../../limits-http/random.mjs"
import { burstyArrivals } from "../traces.mjs"
import { figuresOf, linesOf } from "../verdict.mjs"
import { runClient } from "./run.mjs"

/** An ordinary date, so that epochs in headers are ordinary too. */
const epochMs = Date.UTC(2026, 0, 1)

/** What a run of the cell needs: `provider` and `network` with seeds and true times, `startMs`, `trace`, `idle`. */
export function setUpCell(cell, seed) {
  const startMs = epochMs + Math.floor(seeded(seed)() * cell.provider.perMs)
  const moved = ({ fromMs, toMs }) => ({ fromMs: startMs + fromMs, toMs: startMs + toMs })
  const { neighbour, changes = [] } = cell.provider
  const provider = {
    ...cell.provider,
    changes: changes.map(({ atMs, limit }) => ({ atMs: startMs + atMs, limit })),
    neighbour: neighbour && { ...neighbour, seed },
  }
  const span = { fromMs: startMs, toMs: startMs + cell.durationMs }
  const trace = cell.arrivals === "bursty" ? burstyArrivals({ ...cell.provider, ...span, load: cell.load, seed }) : undefined
  return { provider, network: { ...cell.network, seed }, startMs, trace, idle: (cell.idle ?? []).map(moved) }
}

export async function runCell(client, cell, seed) {
  const { provider, network, startMs, trace, idle } = setUpCell(cell, seed)
  const run = await runClient(client, { provider, network, trace, idle, fromMs: startMs, durationMs: cell.durationMs })
  const figures = figuresOf(cell, { provider, log: run.log, startMs, trace })
  return { ...run, startMs, figures, lines: linesOf(cell, figures) }
}
