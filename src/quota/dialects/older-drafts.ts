// What was common before the IETF draft settled: RateLimit-{Limit,Remaining,Reset}, the same with X- in front, and all three in
// one field, `RateLimit: limit=100, remaining=50, reset=5`. The window, if any, stands beside the limit: `100;w=60`.

import { type Answer, type Dialect, quotaOf, toldOf } from "../answer.ts"
import { cappedWindow, wholeMs } from "../caps.ts"
import { readReset } from "../instants.ts"
import { readCount } from "../numerals.ts"
import type { Quota } from "../quota.ts"
import { readList } from "../structured-field.ts"
import { readThree } from "./three-headers.ts"

export const olderDrafts: Dialect = (answer) => {
  const quota = readThree(answer, "ratelimit-") ?? readThree(answer, "x-ratelimit-") ?? inOneField(answer)
  return toldOf([quota && { ...quota, ...windowOf(answer, quota) }])
}

function inOneField({ header, sentAtMs }: Answer): Quota | null {
  const fields = new Map<string, string>()
  for (const field of (header("ratelimit") ?? "").split(",", 8)) {
    const [name = "", value = ""] = field.split("=", 2)
    fields.set(name.trim(), value.trim())
  }
  return quotaOf({
    limit: readCount(fields.get("limit") ?? null),
    remaining: readCount(fields.get("remaining") ?? null),
    resetMs: readReset(fields.get("reset") ?? null, sentAtMs),
  })
}

/** Several may be named; it is that of the limit which is told. */
function windowOf({ header }: Answer, { limit }: Quota): { readonly windowMs?: number | null } {
  const named = [...(readList(header("ratelimit-policy")) ?? []), ...(readList(header("ratelimit-limit")) ?? [])]
  const seconds = named.find(({ value, parameters }) => value === limit && parameters.has("w"))?.parameters.get("w")
  return typeof seconds === "number" ? { windowMs: cappedWindow(wholeMs(seconds * 1_000)) } : {}
}
