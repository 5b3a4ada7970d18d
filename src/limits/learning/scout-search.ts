// The search between refusals: double at the start, verify what was measured, probe a little more, rest.

import { mode, type Scouting, type ScoutState, trusts } from "./scout-state.ts"

/** Of fewer answers nothing is concluded. */
const fewest = 12

/** An answer has come, and nothing was refused. Without much to send it says nothing about the limit. */
export function grow(scouting: Scouting): ScoutState {
  const { known, isBusy, heard } = scouting
  if (known.mode === mode.start) return isBusy ? double(scouting) : known
  if (known.mode === mode.verify) return isBusy ? verified(scouting) : { ...known, sinceUs: heard.sentAtUs, answers: 0 }
  if (!isBusy || known.answers < fewest) return known
  return heard.sentAtUs - known.sinceUs >= leastRestUs(scouting) ? endRest(scouting) : known
}

/** A probe costs a refusal or two: of a slow limit, where those are more of all, it is made less often. */
function leastRestUs({ known, own }: Scouting): number {
  return Math.max(known.restUs, (own.tolerated * known.everyNs) / 1_000, 2 * known.spanUs)
}

function double(scouting: Scouting): ScoutState {
  const { known, own, heard, leastNs } = scouting
  if (known.answers < own.growAfter || heard.sentAtUs - known.sinceUs < own.growEveryUs || known.everyNs <= leastNs) return known
  return restart(scouting, { ...known, everyNs: Math.max(leastNs, Math.round(known.everyNs / 2)) })
}

/** Long enough for a window to fill, or for a burst to run out at the excess that is looked for. */
function verifyUs({ own, known }: Scouting): number {
  const everyUs = known.everyNs / 1_000
  const step = Math.max(own.gainLeast, stepOf(known))
  const leastUs = step > own.gainLeast ? 2 * own.growEveryUs : known.restUs / 3
  return Math.max(spansOf(known, step) * known.spanUs, leastUs, fewest * everyUs, (own.burst * everyUs * 1_000) / step)
}

/** In thousandths: by how much it is really faster than what has held. The gain may be far more than there was room for. */
function stepOf({ heldNs, everyNs, gain }: ScoutState): number {
  return heldNs === null ? gain : Math.min(gain, Math.round(1_000 * (heldNs / everyNs - 1)))
}

/** It begins in the midst of a window: of a guess the next one decides. Far below a limit that is not in sight yet time is all there is to lose. */
function spansOf({ heldNs, refusedNs, trust }: ScoutState, step: number): number {
  if (heldNs === null) return trust === trusts.guess ? 2 : 1.5
  return refusedNs === null && step > 250 ? 0.5 : 1.5
}

function verified(scouting: Scouting): ScoutState {
  const { known, own, heard } = scouting
  if (known.answers < fewest || heard.sentAtUs - known.sinceUs < verifyUs(scouting)) return known
  const held = { ...known, heldNs: known.everyNs, trust: trusts.sure }
  // Measured well, and verified: there is nothing to look for before the next rest.
  if (known.heldNs === null) return known.trust === trusts.sure ? rest(scouting, held, known.restUs) : probe(scouting, held)
  const gain = Math.min(own.gainMost, known.gain * 3)
  if (known.refusedNs === null) return probe(scouting, { ...held, gain, restUs: own.restUs })
  // What was refused once holds now: the limit is another, and may be far.
  if (known.everyNs <= 1.005 * known.refusedNs)
    return probe(scouting, { ...held, refusedNs: null, gain: Math.min(own.gainMost, 9 * own.gainLeast) })
  // After a rest what was refused before it is tried again.
  const isNear = known.everyNs / known.refusedNs - 1 <= (2.1 * own.gainLeast) / 1_000
  if (isNear && known.steps > 0) return restart(scouting, { ...held, gain, everyNs: known.refusedNs })
  return probe(scouting, { ...held, gain })
}

/** From what has held to a little more; or to a rest, where what was refused is near. */
export function probe(scouting: Scouting, known: ScoutState): ScoutState {
  const { own, leastNs } = scouting
  const heldNs = known.heldNs ?? known.everyNs
  if (heldNs <= leastNs) return rest(scouting, known, known.restUs)
  const nearest = known.refusedNs === null ? Number.POSITIVE_INFINITY : heldNs / known.refusedNs - 1
  if (nearest <= (2.1 * own.gainLeast) / 1_000) return rest(scouting, known, known.restUs)
  const factor = 1 + Math.min(known.gain / 1_000, nearest / 2)
  return restart(scouting, { ...known, mode: mode.verify, everyNs: Math.max(leastNs, Math.round(heldNs / factor)) })
}

export function rest(scouting: Scouting, known: ScoutState, restUs: number): ScoutState {
  return restart(scouting, { ...known, mode: mode.rest, restUs })
}

function endRest(scouting: Scouting): ScoutState {
  const { known, own } = scouting
  const restUs = Math.min(own.restMostUs, known.restUs * 2)
  const after = probe(scouting, { ...known, refusedNs: null, heldNs: known.everyNs, gain: own.gainLeast, restUs })
  // What was refused once is remembered: if it holds now, the limit is another.
  return { ...after, refusedNs: known.refusedNs }
}

function restart({ nowUs }: Scouting, known: ScoutState): ScoutState {
  return { ...known, sinceUs: nowUs, answers: 0, steps: known.steps + 1 }
}
