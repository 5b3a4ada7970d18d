// Settles as the client sends them (request.ts): the usual ones without the names of their parts.

import type { ExchangeRequest, SettleRequest } from "../../../store/exchange-contract.ts"
import type { SentSettle } from "../request.ts"

export type { SentSettle }

/** An exchange as it has come. */
export type SentExchange = Omit<ExchangeRequest, "settles"> & { readonly settles: readonly SentSettle[] }

export function isId(settle: SentSettle): settle is string {
  return typeof settle === "string"
}

/** Whether it is not one of the usual ones. */
export function isWhole(settle: Exclude<SentSettle, string>): settle is SettleRequest {
  return (settle as Partial<SettleRequest>).outcome !== undefined
}

/** As the contract has it. */
export function wholeSettle(settle: SentSettle): SettleRequest {
  if (isId(settle)) return completed(settle, 1, null, null)
  if (isWhole(settle)) return settle
  const [id, fence, sentAgoMs, respondedAgoMs] = settle
  return completed(id, fence, sentAgoMs, respondedAgoMs)
}

export function wholeExchange(request: SentExchange): ExchangeRequest {
  return { ...request, settles: request.settles.map(wholeSettle) }
}

function completed(id: string, fence: number, sentAgoMs: number | null, respondedAgoMs: number | null): SettleRequest {
  return { id, fence, outcome: { kind: "completed", output: null }, spent: [], sentAgoMs, respondedAgoMs, rttMs: null }
}
