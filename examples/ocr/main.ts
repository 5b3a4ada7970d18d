// OCR of a document in chunks: a quota shared by four workers, a timeout for each call, and a job that says how far it is.

import { connect } from "sluice"
import { startProvider } from "../provider/start.ts"
import { atMost, exactly, freshNamespace, storeUrl, tell, workUntilDone } from "../story.ts"
import { atOnce, chunkCount, perSecond, routes, submit } from "./load.ts"
import { assemble, readChunk } from "./tasks.ts"

const provider = await startProvider(routes)
const queue = await connect(storeUrl(), { namespace: freshNamespace("ocr") })
const job = await submit(queue, provider.url)

const workers = Array.from({ length: 4 }, () => queue.worker([readChunk, assemble], { concurrency: 10 }))
for (const worker of workers) {
  worker.on("gate.cooling", async ({ id }) => {
    const { gates } = await queue.explain(id)
    console.log(`429: ${gates[0]?.gate} backs off until ${gates[0]?.cooldown?.until.toISOString()}; the job sees it too:`)
    const { heldBy, job: now } = await queue.jobs.show(job.id)
    console.log(
      `  ${now.tasks.completed} of ${now.total} chunks done, held by ${heldBy}, ends at about ${now.estimatedFinishAt?.toISOString()}`,
    )
  })
}
await workUntilDone(queue, workers)

const ended = await queue.jobs.get(job.id)
const chunks = (await queue.list({ job: job.id, limit: 1_000 })).tasks
const [assembled, ...others] = (await queue.list({ tag: "assembled" })).tasks
const { refused, requests, mostAtOnce, mostInWindow } = await provider.seen("ocr")
const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0)
console.log(`\nassembled: ${JSON.stringify(assembled?.output)}`)

tell(`A document of ${chunkCount} chunks, of which one is never answered, read by 4 workers`, [
  ["the job", ended?.status, exactly("completed")],
  ["chunks that were read", ended?.tasks.completed, exactly(chunkCount - 1)],
  ["what became of the one that hung", chunks.find(({ status }) => status === "failed")?.lastError, exactly("timeout")],
  ["assembled, how often", assembled?.status === "completed" ? 1 + others.length : 0, exactly(1)],
  ["calls at once, at most", mostAtOnce, atMost(atOnce)],
  ["calls in any second, at most", mostInWindow["requests all"], atMost(perSecond)],
  ["429s: the one that others caused", refused, exactly(1)],
  ["calls beside it", requests - refused, exactly(chunkCount)],
  ["throttles and retries that chunks have", sum(chunks.map((chunk) => chunk.throttleCount + chunk.retryCount)), exactly(1)],
])
await queue.close()
await provider.stop()
