// A polite crawler: it learns the pace of each site, keeps it through a restart, and gives up a site that is broken.

import { connect, type Job, type Queue } from "sluice"
import { startProvider } from "../provider/start.ts"
import { atLeast, atMost, exactly, freshNamespace, storeUrl, tell, workUntilDone } from "../story.ts"
import { failureThreshold, pageCount, routes, submit } from "./load.ts"
import { fetchPage } from "./tasks.ts"

const provider = await startProvider(routes)
const [url, namespace] = [storeUrl(), freshNamespace("crawler")]
const learnedAt = async (queue: Queue, site: string) =>
  (await queue.limits.gates("crawl", { key: site })).gates[0]?.learned?.adaptiveDelayMs
let longestMs = 0

async function crawl(queue: Queue) {
  const jobs = await submit(queue, provider.url)
  const worker = queue.worker([fetchPage], { concurrency: 20 })
  worker.on("gate.paced", ({ gate, everyMs, errorStreak }) => {
    longestMs = Math.max(longestMs, everyMs)
    console.log(`${gate}: a page every ${everyMs} ms${errorStreak > 0 ? `, refused ${errorStreak} times in a row` : ""}`)
  })
  await workUntilDone(queue, [worker])
  return jobs
}

const before = await connect(url, { namespace })
const first = await crawl(before)
const learnedMs = await learnedAt(before, "slow")

console.log("started anew:")
const queue = url.startsWith("memory:") ? before : await connect(url, { namespace })
const keptMs = await learnedAt(queue, "slow")
const second = await crawl(queue)

const [fast, slow, broken] = await Promise.all((["fast", "slow", "broken"] as const).map((site) => provider.seen(site)))
const ended = ({ id }: Job) => queue.jobs.get(id)
const { tasks } = await queue.list({ limit: 1_000 })

tell(`Two crawls of three sites, ${pageCount} pages each`, [
  ["pages of the fast site", (await ended(second.fast))?.tasks.completed, exactly(pageCount)],
  ["pages of the slow site", (await ended(second.slow))?.tasks.completed, exactly(pageCount)],
  ["the job of the broken site", (await ended(first.broken))?.status, exactly("failed")],
  ["… asked how often, in both crawls", broken?.requests, atMost(2 * (failureThreshold + 1))],
  ["429s of the fast site", fast?.refused, exactly(0)],
  ["… and what was added to its delay, in ms", await learnedAt(queue, "fast"), exactly(0)],
  ["429s of the slow site", slow?.refused, atMost(pageCount)],
  ["… and the longest distance, in ms", longestMs, atLeast(90)],
  ["kept through the restart, in ms", keptMs, exactly(learnedMs)],
  ["throttles that tasks have", tasks.reduce((sum, { throttleCount }) => sum + throttleCount, 0), exactly(slow?.refused)],
])
for (const one of new Set([before, queue])) await one.close()
await provider.stop()
