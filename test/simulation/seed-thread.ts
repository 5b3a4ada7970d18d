// A thread that runs seeds: one after the other, as they are handed to it, on the build and the store that it was started with.

import { parentPort, workerData } from "node:worker_threads"
import { runnerOf, type StoreName } from "./seed-store.ts"

const { source, store } = workerData as { readonly source: string; readonly store: StoreName }
const run = await runnerOf(new URL(source), store)

parentPort?.on("message", (seed: number) => {
  run({ seed }).then(
    ({ violations, totals }) => parentPort?.postMessage({ seed, violations, totals }),
    // A crash of the code under a seed is a finding like any other.
    (error: Error) => parentPort?.postMessage({ seed, violations: [{ kind: "crash", message: String(error?.stack) }], totals: null }),
  )
})
