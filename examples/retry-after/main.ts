// An API that answers 429 with Retry-After, and 202 while something is not ready.

import { connect } from "sluice"
import { startProvider } from "../provider/start.ts"
import { atLeast, exactly, freshNamespace, storeUrl, tell, workUntilDone } from "../story.ts"
import { exportCount, routes, submit } from "./load.ts"
import { fetchExport } from "./tasks.ts"

const provider = await startProvider(routes)
const queue = await connect(storeUrl(), { namespace: freshNamespace("retry-after") })
const { exports, never } = await submit(queue, provider.url)

const worker = queue.worker([fetchExport], { concurrency: 10 })
worker.on("gate.cooling", ({ status, retryAfterMs }) =>
  console.log(`refused with ${status}: closed for ${retryAfterMs} ms, for every task`),
)
await workUntilDone(queue, [worker])

const ended = await Promise.all([...exports, never].map(({ id }) => queue.get(id)))
const sum = (count: (task: NonNullable<(typeof ended)[number]>) => number) =>
  ended.reduce((total, task) => total + (task ? count(task) : 0), 0)
const { refused, requests } = await provider.seen("exports")
const rescheduled = exportCount * 2 + 5

console.log(`\nThe history of one of them:`)
for (const { text } of await queue.history(exports[0]?.id ?? "")) console.log(`  ${text}`)

tell(`${exportCount} exports that are ready at the third time of asking, and one that never is`, [
  ["exports that completed", (await queue.counts()).completed, exactly(exportCount)],
  ["what became of the other", ended.at(-1)?.lastError, exactly("Max reschedules (4) exceeded")],
  ["429s that the provider answered", refused, atLeast(1)],
  ["… of which tasks were throttled", sum(({ throttleCount }) => throttleCount), exactly(refused)],
  ["requests beside those", requests - refused, exactly(exportCount + rescheduled)],
  ["retries that any of it has cost", sum(({ retryCount }) => retryCount), exactly(0)],
])
await queue.close()
await provider.stop()
