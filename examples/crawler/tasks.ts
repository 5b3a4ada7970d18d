// A crawler that is polite to each site: it keeps the distance that the site asks for in robots.txt, and finds out by itself what else the
// site stands. Real steps are a second; here they are shorter, so that you need not wait.

import { defineLimit, defineTask, PermanentError } from "sluice"

export interface Page {
  readonly url: string
  readonly site: string
  /** From robots.txt. */
  readonly crawlDelayMs: number
}

/** A 429 makes the distance a step longer, ten answers in a row a step shorter, and a distance that was refused is not tried again soon. */
const crawl = defineLimit("crawl", {
  key: (page: Page) => page.site,
  concurrency: 2,
  adaptive: { preset: "linear", step: "60ms", max: "1s", probeAfter: 10, minDelay: (page: Page) => page.crawlDelayMs, maxRetries: null },
})

export const fetchPage = defineTask("fetch_page", {
  limits: [crawl],
  maxRetries: 0,
  run: async (page: Page, ctx) => {
    const response = await ctx.fetch(page.url)
    // A page that is not there is an answer. A site that is broken is a failure, with the status that the job may want to know.
    if (response.status >= 500) throw new PermanentError(`${page.site} answered ${response.status}`, { status: response.status })
    return response.status
  },
})
