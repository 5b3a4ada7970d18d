// A gate that scouts, with much to send unless a test says otherwise, whose requests are answered after a tenth of a second.

import { ok } from "node:assert/strict"
import {
  admit,
  emptyGate,
  type GatePolicy,
  type GateState,
  gateOpensAtUs,
  type Heard,
  learn,
  type ScoutPolicy,
  scoutDefaults,
} from "../../../src/limits/index.ts"
import type { ScoutState } from "../../../src/limits/learning/scout-state.ts"
import { mode } from "../../../src/limits/learning/scout-state.ts"
import { answer, minute, startUs } from "./answers.ts"

export const rttUs = 100_000

export function scouting(own: Partial<ScoutPolicy> = {}, gate: Partial<GatePolicy> = {}): GatePolicy {
  return { rates: [], concurrency: null, adaptive: { ...scoutDefaults, ...own }, ...gate }
}

export class Scouted {
  state: GateState
  nowUs = startUs
  readonly policy: GatePolicy

  constructor(policy: GatePolicy = scouting()) {
    this.policy = policy
    this.state = emptyGate(policy)
  }

  get scout(): ScoutState {
    const scout = this.state.learned?.scout
    ok(scout, "nothing was heard yet")
    return scout
  }

  get perSecond(): number {
    return 1_000_000_000 / this.scout.everyNs
  }

  /** Sends one as soon as it may, and answers with the time of that. */
  send(): number {
    this.nowUs = Math.ceil(gateOpensAtUs(this.policy, this.state, this.nowUs, 1) / 1_000) * 1_000
    const admission = admit(this.policy, this.state, this.nowUs, { id: "t", fence: 1, cost: 1, untilUs: this.nowUs + 1 })
    ok(admission.kind === "admitted")
    this.state = admission.state
    return this.nowUs
  }

  hear(kind: Heard["kind"], sentAtUs: number, given: Partial<Heard> = {}): void {
    const atUs = Math.max(this.nowUs, sentAtUs + rttUs)
    this.state = learn(this.policy, this.state, atUs, answer(kind, sentAtUs, { respondedAtUs: sentAtUs + rttUs, ...given }))
  }

  served(given: Partial<Heard> = {}): void {
    this.hear("served", this.send(), given)
  }

  /** Refused, and its answer is waited for. */
  refused(given: Partial<Heard> = {}): void {
    const sentAtUs = this.send()
    this.nowUs = sentAtUs + rttUs
    this.hear("refused", sentAtUs, given)
  }

  /** Everything passes until it is so. */
  until(isSo: () => boolean): void {
    for (let i = 0; !isSo(); i++) {
      ok(i < 100_000, "it never came to be so")
      this.served()
    }
  }

  /**
   * Against a limit that is counted in windows that begin at `startUs`, for so long. Answers with the number of refusals.
   */
  windows(limit: number, perUs: number, forUs: number): number {
    const endUs = this.nowUs + forUs
    let [window, used, refusals] = [-1, 0, 0]
    while (this.nowUs < endUs) {
      const sentAtUs = this.send()
      const at = Math.floor((sentAtUs + rttUs / 2 - startUs) / perUs)
      if (at !== window) [window, used] = [at, 0]
      if (used < limit) {
        used++
        this.hear("served", sentAtUs)
      } else {
        refusals++
        this.nowUs = sentAtUs + rttUs
        this.hear("refused", sentAtUs)
      }
    }
    return refusals
  }
}

/** At rest at a rate that has held: 60 a minute, counted in windows. */
export function rested(): Scouted {
  const gate = new Scouted()
  gate.windows(60, minute, 15 * minute)
  for (let i = 0; gate.scout.mode !== mode.rest || gate.scout.answers < 1; i++) {
    ok(i < 30, "it never rests")
    gate.windows(60, minute, minute)
  }
  return gate
}
