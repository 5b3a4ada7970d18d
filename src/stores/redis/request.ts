// A request as the script reads it: JSON without nulls, because a table in Lua has no place for one.

import type { ExchangeRequest, SettleRequest } from "../../store/exchange-contract.ts"

/** What nearly every run ends with: its id where nothing else is to be said, else id, fence and both ages. */
export type ShortSettle = string | readonly [id: string, fence: number, sentAgoMs: number, respondedAgoMs: number]

/** A settle as it is sent. */
export type SentSettle = ShortSettle | SettleRequest

/**
 * Drops `"name":null`. A quote that follows "{" or "," and is followed by a letter opens a name: inside a text it would be escaped, and
 * one that ends a text is followed by ":", ",", "]" or "}". So nothing inside a text is ever touched.
 */
const nulls = /,"\w+":null|(?<=\{)(?:"\w+":null(?:,|(?=\})))+/g

export function toText(request: unknown): string {
  return JSON.stringify(request).replace(nulls, "")
}

/** What reading a name costs the script, it costs for each: settles that are alike go without their names. */
export function toWire(operation: string, request: unknown): string {
  return toText(operation === "exchange" ? withShortSettles(request as ExchangeRequest) : request)
}

function withShortSettles(request: ExchangeRequest) {
  const { settles } = request
  return settles.length === 0 ? request : { ...request, settles: settles.map(shortened) }
}

function shortened(settle: SettleRequest): SentSettle {
  const { id, fence, outcome, spent, heard } = settle
  const [sentAgoMs, respondedAgoMs, rttMs] = [settle.sentAgoMs ?? null, settle.respondedAgoMs ?? null, settle.rttMs ?? null]
  if (outcome.kind !== "completed" || (outcome.output ?? null) !== null) return settle
  if (spent.length > 0 || heard !== undefined || rttMs !== null) return settle
  if (sentAgoMs === null && respondedAgoMs === null) return fence === 1 ? id : settle
  return sentAgoMs === null || respondedAgoMs === null ? settle : [id, fence, sentAgoMs, respondedAgoMs]
}
