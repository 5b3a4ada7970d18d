// GitHub: X-RateLimit headers whose reset is an epoch in seconds, and the resource that is counted. An empty quota is refused
// with 403, or with 200 and an error's type for GraphQL. Its secondary limits show in Retry-After alone.

import { type Dialect, nameIn } from "../answer.ts"
import { hasError } from "../body.ts"
import { isEpoch } from "../instants.ts"
import { readThree } from "./three-headers.ts"

export const github: Dialect = (answer) => {
  const { status, header, body } = answer
  if (!isEpoch(header("x-ratelimit-reset"))) return null
  const quota = readThree(answer, "x-ratelimit-", { bucket: nameIn(header("x-ratelimit-resource")) })
  if (quota === null) return null
  const isRefused = quota.remaining === 0 && (status === 403 || hasError(body, "RATE_LIMITED", "type"))
  return { quotas: [quota], isRefused }
}
