// OpenAI, and those who copy it: x-ratelimit-{limit,remaining,reset}-{requests,tokens}. A reset is a Go duration until the bucket
// is full again, or plain seconds at Azure, which sends a limit of -1 or 0 where it does not know: no quota then.

import { type Answer, type Dialect, quotaOf, toldOf } from "../answer.ts"
import { readGoDuration } from "../go-duration.ts"
import { readReset } from "../instants.ts"
import { readCount } from "../numerals.ts"
import type { Quota } from "../quota.ts"

export const openai: Dialect = (answer) => toldOf(["requests", "tokens"].map((name) => counted(answer, name)))

function counted({ header, sentAtMs }: Answer, name: string): Quota | null {
  const limitText = header(`x-ratelimit-limit-${name}`)
  const limit = readCount(limitText)
  if (limitText !== null && (limit === null || limit === 0)) return null
  const reset = header(`x-ratelimit-reset-${name}`)
  return quotaOf({
    name,
    limit,
    remaining: readCount(header(`x-ratelimit-remaining-${name}`)),
    resetMs: readGoDuration(reset) ?? readReset(reset, sentAtMs),
  })
}
