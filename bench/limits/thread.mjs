// Runs cells of the benchmark in a thread, one after the other, as they are asked for.
import { parentPort } from "node:worker_threads"
import { finding, knowing } from "./clients/run.mjs"
import { runCell } from "./clients/run-cell.mjs"
import { runSluice } from "./clients/sluice.mjs"
import { runForecasts } from "./forecasts.mjs"
import { scenarios } from "./scenarios.mjs"
import { runSeveral } from "./several-limits.mjs"

const cellOf = (id) => scenarios.find((cell) => cell.id === id)

async function cellRun({ client, cellId, seed, wantsTimes }) {
  const cell = cellOf(cellId)
  const run = client === "Sluice" ? await runSluice(cell, seed) : await runCell({ ...knowing, ...finding }[client], cell, seed)
  const times = wantsTimes ? { acceptedAtMs: run.log.timesOf(200), refusedAtMs: run.log.timesOf(429), startMs: run.startMs } : null
  return { figures: run.figures, lines: run.lines, times }
}

const kinds = { cell: cellRun, forecasts: ({ seed }) => runForecasts(seed), several: ({ seed }) => runSeveral(seed) }

parentPort.on("message", async (job) => {
  const fromMs = performance.now()
  try {
    const result = await kinds[job.kind](job)
    parentPort.postMessage({ job, result, ms: performance.now() - fromMs })
  } catch (error) {
    parentPort.postMessage({ job, error: String(error?.stack ?? error) })
  }
})
