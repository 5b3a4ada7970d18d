// The other side: five calls at once and twenty a second, of which somebody else once takes one: a 429 that does not say for how long. The
// work: a document of 24 chunks, one of which is never answered.

import type { Queue } from "sluice"
import type { Route } from "../provider/start.ts"
import { assemble, readChunk } from "./tasks.ts"

export const atOnce = 5
export const perSecond = 20
export const chunkCount = 24
const [hanging, refused] = [7, 3]
/** The timeout of the one that hangs; the others take less. */
export const idealMs = 3_000

export const routes = {
  ocr: { atOnce, limits: [{ limit: perSecond, windowMs: 1_000 }], says: "nothing", answerMs: 60 },
} satisfies Record<string, Route>

export async function submit(queue: Queue, url: string, document = "annual-report") {
  const chunks = Array.from({ length: chunkCount }, (_, chunk) => {
    const query = chunk === hanging ? "?hang=1" : chunk === refused ? "?refuse=1" : ""
    return { task: readChunk, input: { chunk, url: `${url}/ocr/${document}/${chunk}${query}` }, options: { tags: [document] } }
  })
  return queue.submitJob(document, chunks, { onComplete: { task: assemble, input: { document }, options: { tags: ["assembled"] } } })
}
