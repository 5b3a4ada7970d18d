// Answers of the other side, with what most tests do not care about filled in.

import type { Answer, AnsweredQuota } from "../../store/exchange-contract.ts"

/** To a request that went out just now. */
export function answer(kind: Answer["kind"], fields: Partial<Answer> = {}): Answer {
  return { limit: null, kind, reason: "rate", retryAfterMs: null, quotas: [], sentAgoMs: 0, respondedAgoMs: 0, random: 0, ...fields }
}

export function quota(name: string, remaining: number, resetMs: number): AnsweredQuota {
  return { name, limit: 100, remaining, resetMs, windowMs: null }
}
