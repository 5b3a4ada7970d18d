// The three headers that most providers have, under a prefix of their own: limit, remaining, reset.

import { type Answer, quotaOf } from "../answer.ts"
import { readReset } from "../instants.ts"
import { readCount } from "../numerals.ts"
import type { Quota } from "../quota.ts"

export function readThree({ header, sentAtMs }: Answer, prefix: string, more: Partial<Quota> = {}): Quota | null {
  return quotaOf({
    limit: readCount(header(`${prefix}limit`)),
    remaining: readCount(header(`${prefix}remaining`)),
    resetMs: readReset(header(`${prefix}reset`), sentAtMs),
    ...more,
  })
}
