// What the answer to a hold makes of the calls.

import type { Acquired, HoldAnswer } from "../../store/index.ts"
import type { Declarations } from "../declarations.ts"
import { costAboveLimit, unknownLimit } from "../refusals.ts"
import type { Call } from "./call.ts"
import type { Roster } from "./roster.ts"
import type { Said } from "./saying.ts"
import { type CallsSettings, marginMs } from "./settings.ts"

export function takeAnswer(roster: Roster, settings: CallsSettings, declarations: Declarations, said: Said, answer: HoldAnswer): void {
  const { request, sentAtMs } = said
  const { running, waiting } = roster
  const leaseEndsAtMs = sentAtMs + settings.leaseMs - marginMs(settings)
  const held = (call: Call) => Object.assign(call, { isKnown: true, leaseEndsAtMs, renewedAtMs: sentAtMs })
  for (const [i, { id }] of request.renew.entries()) {
    const kept = answer.kept[i] ?? "stale"
    const [runs, waits] = [running.get(id), waiting.get(id)]
    if (runs && kept === "stale") roster.lose(runs)
    else if (runs) held(runs)
    else if (waits && kept === "granted") roster.start(held(waits))
    // One that is stale has lost its place, and is asked for again.
    else if (waits) Object.assign(waits, { isKnown: kept === "waiting", renewedAtMs: sentAtMs })
  }
  for (const { id } of request.adopt) {
    const call = running.get(id)
    if (call) held(call)
  }
  for (const [i, { id }] of request.acquire.entries()) {
    const [call, acquired] = [waiting.get(id), answer.acquired[i]]
    if (!call || !acquired) continue
    if (acquired.kind === "granted") roster.start(held(call))
    else takeRefusal(roster, declarations, call, acquired, sentAtMs)
  }
  for (const { id } of answer.granted) {
    const call = waiting.get(id)
    if (call) roster.start(held(call))
  }
}

type Refusal = Exclude<Acquired, { kind: "granted" }>

function takeRefusal(roster: Roster, declarations: Declarations, call: Call, acquired: Refusal, sentAtMs: number): void {
  const { limit } = call.wanted
  if (acquired.kind === "waiting") {
    if (!call.seen) roster.counters.of(limit).waited++
    Object.assign(call, { seen: acquired, isKnown: true, renewedAtMs: sentAtMs })
    return
  }
  // The store may have been emptied since it was told.
  if (acquired.kind === "unknown_limit" && declarations.knows(limit) && !call.isDeclaredAgain) {
    call.isDeclaredAgain = true
    declarations.repeat()
    return
  }
  // The store knows nothing of it: there is nothing to give back.
  call.isSent = false
  if (acquired.kind === "refused") roster.giveUp(call, null)
  else if (acquired.kind === "unknown_limit") roster.giveUp(call, unknownLimit("limit", limit, acquired.known))
  else roster.giveUp(call, costAboveLimit(`limit ${limit}`, acquired))
}
