// Discord: X-RateLimit headers with a bucket's id, and a reset in fractions of a second. What is used up by others too is
// `shared`. Its Retry-After is whole seconds; the body's retry_after stands in where there is none.

import { type Dialect, nameIn } from "../answer.ts"
import { fieldOf } from "../body.ts"
import { atMost, mostRetryAfterMs, wholeMs } from "../caps.ts"
import { readReset } from "../instants.ts"
import { numberIn, readSeconds } from "../numerals.ts"
import { readThree } from "./three-headers.ts"

const own = ["bucket", "reset-after", "scope", "global"]

export const discord: Dialect = (answer) => {
  const { status, header, body, sentAtMs } = answer
  if (own.every((name) => header(`x-ratelimit-${name}`) === null)) return null
  const quota = readThree(answer, "x-ratelimit-", {
    resetMs: readSeconds(header("x-ratelimit-reset-after")) ?? readReset(header("x-ratelimit-reset"), sentAtMs),
    bucket: nameIn(header("x-ratelimit-bucket")),
  })
  const seconds = status === 429 ? numberIn(fieldOf(body, "retry_after")) : null
  return {
    quotas: quota === null ? [] : [quota],
    retryAfterMs: seconds === null ? null : atMost(mostRetryAfterMs, wholeMs(seconds * 1_000)),
    ...scopeOf(header("x-ratelimit-scope"), header("x-ratelimit-global")),
  }
}

function scopeOf(scope: string | null, isGlobal: string | null): { readonly scope?: "own" | "shared" } {
  if (scope === "shared") return { scope }
  return scope === "user" || scope === "global" || isGlobal === "true" ? { scope: "own" } : {}
}
