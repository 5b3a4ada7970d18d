// The other side: ten requests a second, then 429 with Retry-After, which also comes once because of what others ask for. The work: eight
// exports that are ready at the third time of asking, and one that never is.

import type { Queue } from "sluice"
import type { Route } from "../provider/start.ts"
import { fetchExport } from "./tasks.ts"

export const routes = { exports: { limits: [{ limit: 10, windowMs: 1_000 }] } } satisfies Record<string, Route>

export const exportCount = 8
/** What the limit allows: 29 requests, ten a second. */
export const idealMs = 2_000

export async function submit(queue: Queue, url: string, round = "1") {
  const exports = await queue.submitMany(
    fetchExport,
    Array.from({ length: exportCount }, (_, i) => ({ url: `${url}/exports/${round}/${i}?notReady=2${i === 0 ? "&refuse=1" : ""}` })),
  )
  const never = await queue.submit(fetchExport, { url: `${url}/exports/${round}/never?notReady=1000` })
  return { exports, never }
}
