// The other side of a gate, as it counts a short window, and a gate that sends to it as soon as it may.

import { admit, type GatePolicy, type GateState, gateOpensAtUs, type HeardQuota, learn, settleGate } from "../../src/limits/index.ts"

export const startUs = 1_769_601_600_000_000
export const second = 1_000_000

/** How it answers the requests, by their number. */
export interface Side {
  readonly limit: number
  readonly perUs: number
  /** How long they are under way, one after the other, and again from the first. */
  readonly took: readonly number[]
  /** What it says of its quota, which is so; null: nothing. */
  tell(request: number, truth: HeardQuota): HeardQuota | null
  /** Whether it refuses one for which there is room. */
  refuses(request: number): boolean
  /** How long there is nothing to send before it. */
  idleUs(request: number): number
}

export interface Sending {
  readonly policy: GatePolicy
  readonly state: GateState
  readonly requests: number
}

export interface Seen {
  readonly state: GateState
  /** As it was before an answer; null where somebody was admitted. */
  readonly before: GateState | null
  readonly nowUs: number
  /** When it was admitted, where somebody just was. */
  readonly admittedAtUs: number | null
}

/** Sends as soon as it may, and hears each answer when it comes. The window slides; what does not fit is refused. */
export function play(side: Side, { policy, state: given, requests }: Sending, see: (seen: Seen) => void): void {
  const { limit, perUs, took } = side
  let [state, nowUs] = [given, startUs]
  let counted: number[] = []
  const coming: { sentAtUs: number; backAtUs: number; isIn: boolean; quota: HeardQuota | null }[] = []
  for (let sent = 0; sent < requests; ) {
    const opensAtUs = gateOpensAtUs(policy, state, nowUs, 1)
    const next = coming[0]
    if (next && next.backAtUs <= opensAtUs) {
      coming.shift()
      const { sentAtUs, backAtUs, isIn, quota } = next
      nowUs = Math.max(nowUs, backAtUs)
      const times = { admittedAtUs: sentAtUs, sentAtUs, respondedAtUs: backAtUs, rttUs: backAtUs - sentAtUs }
      const before = state
      const settled = settleGate(policy, state, nowUs, { id: "t", fence: 1, reserved: 1, actual: null, ...times })
      const said = { sentAtUs, respondedAtUs: backAtUs, cost: 1, delayUs: 0, reason: "rate" as const, retryAfterUs: null, random: 0.5 }
      state = learn(policy, settled, nowUs, { ...said, kind: isIn ? "served" : "refused", quota })
      see({ state, before, nowUs, admittedAtUs: null })
      continue
    }
    // Nobody waits for a day.
    nowUs = Math.max(nowUs, Math.min(opensAtUs, nowUs + 3_600 * second)) + side.idleUs(sent)
    const admission = admit(policy, state, nowUs, { id: "t", fence: 1, cost: 1, untilUs: nowUs + 1 })
    if (admission.kind === "refused") continue
    state = admission.state
    see({ state, before: null, nowUs, admittedAtUs: nowUs })
    const tookUs = took[sent % took.length] ?? 0
    const atUs = nowUs + Math.floor(tookUs / 2)
    counted = counted.filter((one) => one > atUs - perUs)
    const isIn = counted.length < limit && !side.refuses(sent)
    if (isIn) counted.push(atUs)
    const leftUs = Math.max(0, Math.min(...counted) + perUs - atUs)
    const quota = side.tell(sent, { limit, remaining: limit - counted.length, resetUs: leftUs, windowUs: null })
    coming.push({ sentAtUs: nowUs, backAtUs: nowUs + tookUs, isIn, quota })
    coming.sort((a, b) => a.backAtUs - b.backAtUs)
    sent++
  }
}

export function* numbersIn(value: unknown): Generator<number> {
  if (typeof value === "number") yield value
  else if (value !== null && typeof value === "object") for (const part of Object.values(value)) yield* numbersIn(part)
}
