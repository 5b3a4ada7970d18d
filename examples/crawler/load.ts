// The other side: a site that stands 50 pages a second, one that stands four in 0.4 s, refuses the first page too, and says nothing
// beside its 429s, and one that is broken. The work: a job for each site.

import type { Queue } from "sluice"
import type { Route } from "../provider/start.ts"
import { fetchPage } from "./tasks.ts"

export const routes = {
  fast: { limits: [{ limit: 50, windowMs: 1_000 }], says: "nothing" },
  slow: { limits: [{ limit: 4, windowMs: 400 }], says: "nothing" },
  broken: {},
} satisfies Record<string, Route>

export const pageCount = 20
export const failureThreshold = 5
const crawlDelayMs = 30
/** What the slow site stands: 20 pages, four in 0.4 s. */
export const idealMs = 1_600

export async function submit(queue: Queue, url: string, round = "1") {
  /** Queries of single pages, else that of every page. */
  const crawl = (site: keyof typeof routes, queries: Readonly<Record<number, string>>, every = "") =>
    queue.submitJob(
      site,
      Array.from({ length: pageCount }, (_, i) => {
        return { task: fetchPage, input: { site, crawlDelayMs, url: `${url}/${site}/${round}/${i}${queries[i] ?? every}` } }
      }),
      { failureThreshold },
    )
  return {
    fast: await crawl("fast", { 3: "?status=404" }),
    slow: await crawl("slow", { 0: "?refuse=1" }),
    broken: await crawl("broken", {}, "?status=500"),
  }
}
