// A document is read in chunks by a service that stands five calls at once, and so many a second. A call that hangs is given up; the
// others go on.

import { defineLimit, defineTask } from "sluice"

/** One limit for all workers, in whatever process: slots are held in the store, and a dead worker's come back by themselves. */
export const documentAi = defineLimit("document-ai", { concurrency: 5, rate: "20/1s", slack: "1s" })

export const readChunk = defineTask("read_chunk", {
  limits: [documentAi],
  // A minute in real life. The call is aborted, the chunk has failed, and its slot is free.
  timeout: "3s",
  maxRetries: 0,
  run: async (input: { readonly url: string; readonly chunk: number }, ctx) => {
    // Too fast: the gate backs off for all chunks, and this one is read again afterwards. It costs no retry.
    const response = await ctx.fetch(input.url, { method: "POST" })
    if (!response.ok) throw new Error(`Document AI answered ${response.status}`)
    return `text of chunk ${input.chunk}`
  },
})

/** Submitted once, in the same step as the outcome of the last chunk. */
export const assemble = defineTask("assemble", {
  run: async (input: { readonly document: string }, ctx) => {
    const { tasks } = await ctx.queue.list({ tag: input.document, status: ["completed", "failed"], limit: 1_000 })
    return {
      read: tasks.filter(({ status }) => status === "completed").length,
      missing: tasks.filter(({ status }) => status === "failed").map(({ lastError }) => lastError),
    }
  },
})
