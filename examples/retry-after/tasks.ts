// Exports that another service prepares. It answers 202 while one is not ready, and 429 when it is asked too often; nobody has told us how
// often that is.

import { defineLimit, defineTask } from "sluice"

/** Two at once. How fast is up to the other side: each 429 closes this gate, for everybody, for as long as its Retry-After says. */
const exportsApi = defineLimit("exports-api", { concurrency: 2 })

export const fetchExport = defineTask("fetch_export", {
  limits: [exportsApi],
  // One that is never ready is given up. Being told "too fast" counts for none of this.
  maxReschedules: 4,
  run: async (input: { readonly url: string }, ctx) => {
    // A 429 ends the run here: the task keeps its place, and it costs no retry and no reschedule.
    const response = await ctx.fetch(input.url)
    if (response.status === 202) return ctx.reschedule("200ms", { reason: "not ready" })
    return response.json()
  },
})
