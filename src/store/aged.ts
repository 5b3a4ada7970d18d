// Whoever asks tells times as ages, of the moment at which he asked. A request that waited before its step began, for a lock or for
// others, has grown older by that. Else a refusal that had to wait for another one's settle would seem to be about a later request,
// and a gate would react to one episode twice. Ages are whole milliseconds: what waited for less is as old as it was.

import type { HoldRequest } from "./calls-contract.ts"
import type { Answer, ExchangeRequest } from "./exchange-contract.ts"
import type { PermitRequest } from "./limits-contract.ts"
import type { Records } from "./records.ts"

export function agedExchange(request: ExchangeRequest, waited: number): ExchangeRequest {
  const waitedMs = Math.floor(waited)
  if (waitedMs <= 0 || request.settles.length === 0) return request
  const older = olderBy(waitedMs)
  const settles = request.settles.map((settle) => ({
    ...settle,
    sentAgoMs: older(settle.sentAgoMs),
    respondedAgoMs: older(settle.respondedAgoMs),
    ...(settle.heard && { heard: agedAnswers(settle.heard, waitedMs) }),
  }))
  return { ...request, settles }
}

export function agedHold(request: HoldRequest, waited: number): HoldRequest {
  const waitedMs = Math.floor(waited)
  if (waitedMs <= 0 || request.release.length === 0) return request
  const older = olderBy(waitedMs)
  const release = request.release.map((one) => ({
    ...one,
    sentAgoMs: older(one.sentAgoMs),
    respondedAgoMs: older(one.respondedAgoMs),
    heard: agedAnswers(one.heard, waitedMs),
  }))
  return { ...request, release }
}

/**
 * When something was that is so old, by the store's clock, and no earlier than what it followed on. The true time may be ahead of that clock, so it may have been
 * so much later: taken for earlier, what was charged for it would be free too soon.
 */
export function latestUs({ nowMs, clockErrorMs = 0 }: Pick<Records, "nowMs" | "clockErrorMs">, agoMs: number | null, leastUs: number) {
  return agoMs === null ? null : Math.max(leastUs, (nowMs + clockErrorMs) * 1_000 - Math.round(agoMs * 1_000))
}

function olderBy(waitedMs: number) {
  return (agoMs: number | null) => (agoMs === null ? null : agoMs + waitedMs)
}

export function agedPermit(request: PermitRequest, waited: number): PermitRequest {
  const waitedMs = Math.floor(waited)
  return waitedMs <= 0 || !request.heard ? request : { ...request, heard: agedAnswers(request.heard, waitedMs) }
}

function agedAnswers(answers: readonly Answer[], waitedMs: number): readonly Answer[] {
  return answers.map((answer) => ({
    ...answer,
    sentAgoMs: answer.sentAgoMs + waitedMs,
    respondedAgoMs: answer.respondedAgoMs + waitedMs,
  }))
}
