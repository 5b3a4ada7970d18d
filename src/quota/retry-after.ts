// Retry-After: seconds ("120", "2.0"), or an HTTP date. Azure and OpenAI also send it in milliseconds, which is more exact and
// therefore first.

import { atMost, mostRetryAfterMs, wholeMs } from "./caps.ts"
import type { Header } from "./headers.ts"
import { readHttpDate, untilMs } from "./instants.ts"
import { readDecimal, readSeconds } from "./numerals.ts"

export function readRetryAfter(header: Header, sentAtMs: number): number | null {
  const ms = readDecimal(header("retry-after-ms")) ?? readDecimal(header("x-ms-retry-after-ms"))
  if (ms !== null) return atMost(mostRetryAfterMs, wholeMs(ms))
  const text = header("retry-after")
  return atMost(mostRetryAfterMs, readSeconds(text) ?? untilMs(readHttpDate(text), sentAtMs))
}
