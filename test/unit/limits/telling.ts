// The other side of a gate that scouts: it counts in one of a few ways, and tells with each answer what is left of its quota, or nothing.
// Requests are under way for different times, of which every run has the same.

import { type GateState, gateOpensAtUs, type HeardQuota, learn, settleGate } from "../../../src/limits/index.ts"
import { answer, second, startUs } from "./answers.ts"
import { Scouted } from "./scouted.ts"

export interface Side {
  /** Whether a request that comes then is let in, and what is told of it: how much is left, and for how long that will be so. */
  receive(atUs: number): { readonly isIn: boolean; readonly remaining: number; readonly resetUs: number }
  readonly limit: number
}

/** The last so many, at every moment. */
export function slidingSide(limit: number, perUs: number): Side {
  let times: number[] = []
  return {
    limit,
    receive(atUs) {
      times = times.filter((one) => one > atUs - perUs)
      const isIn = times.length < limit
      if (isIn) times.push(atUs)
      return { isIn, remaining: limit - times.length, resetUs: (times[0] ?? atUs) + perUs - atUs }
    },
  }
}

export function fixedSide(limit: number, perUs: number): Side {
  let [window, used] = [-1, 0]
  return {
    limit,
    receive(atUs) {
      const now = Math.floor((atUs - startUs) / perUs)
      if (now !== window) [window, used] = [now, 0]
      const isIn = used < limit
      if (isIn) used++
      return { isIn, remaining: limit - used, resetUs: startUs + (window + 1) * perUs - atUs }
    },
  }
}

export function bucketSide(limit: number, unitUs: number): Side {
  let fullAtUs = 0
  return {
    limit,
    receive(atUs) {
      const after = Math.max(fullAtUs, atUs) + unitUs
      const isIn = after - atUs <= limit * unitUs
      if (isIn) fullAtUs = after
      return { isIn, remaining: Math.floor(limit - (fullAtUs - atUs) / unitUs), resetUs: fullAtUs - atUs }
    },
  }
}

/** Somebody else uses it too, at random moments, so often on average, and has done so for a while. */
export function shared(side: Side, everyUs: number): Side {
  let [nextAtUs, random] = [startUs - 120 * second, 7]
  return {
    limit: side.limit,
    receive(atUs) {
      while (nextAtUs <= atUs) {
        side.receive(nextAtUs)
        random = (random * 48_271) % 2_147_483_647
        nextAtUs += -Math.log(random / 2_147_483_647) * everyUs
      }
      return side.receive(atUs)
    },
  }
}

/** How a reset is written: in seconds from now, as a moment in whole seconds less another, or as it is. */
export const writers = {
  seconds: (_atUs: number, resetUs: number) => Math.ceil(resetUs / second) * second,
  moments: (atUs: number, resetUs: number) => (Math.ceil((atUs + resetUs) / second) - Math.floor(atUs / second)) * second,
  exact: (_atUs: number, resetUs: number) => Math.ceil(resetUs / 1_000) * 1_000,
} as const

export type Writer = keyof typeof writers

interface Coming {
  readonly sentAtUs: number
  readonly backAtUs: number
  readonly isIn: boolean
  readonly quota: HeardQuota | null
}

export class Told {
  readonly gate: Scouted
  refused = 0
  served = 0
  readonly #side: Side
  readonly #write: Writer | null
  readonly #jitterUs: number
  #coming: Coming[] = []
  #random = 1
  #countedAtUs = 0

  /** `write`: null where nothing is told. */
  constructor(side: Side, write: Writer | null, gate = new Scouted(), jitterUs = 60_000) {
    this.#side = side
    this.#write = write
    this.#jitterUs = jitterUs
    this.gate = gate
  }

  get state(): GateState {
    return this.gate.state
  }

  /** For so long everything is sent as soon as it may be. */
  run(forUs: number): void {
    const endUs = this.gate.nowUs + forUs
    while (this.gate.nowUs < endUs) {
      const opensAtUs = gateOpensAtUs(this.gate.policy, this.gate.state, this.gate.nowUs, 1)
      const next = this.#coming[0]
      if (next && next.backAtUs <= opensAtUs) {
        this.#coming.shift()
        this.#hear(next)
        continue
      }
      if (opensAtUs > endUs) break
      const sentAtUs = this.gate.send()
      this.#send(sentAtUs, sentAtUs + 30_000 + Math.floor(this.#next() * this.#jitterUs))
    }
    this.gate.nowUs = Math.max(this.gate.nowUs, endUs)
  }

  /** Nobody overtakes another on the way out: the side is told of times in order. */
  #send(sentAtUs: number, arrivesAtUs: number): void {
    const atUs = Math.max(this.#countedAtUs, arrivesAtUs)
    this.#countedAtUs = atUs
    const { isIn, remaining, resetUs } = this.#side.receive(atUs)
    const write = this.#write && writers[this.#write]
    const quota = write && { limit: this.#side.limit, remaining, resetUs: write(atUs, resetUs), windowUs: null }
    this.#coming.push({ sentAtUs, backAtUs: atUs + 30_000 + Math.floor(this.#next() * this.#jitterUs), isIn, quota })
    this.#coming.sort((a, b) => a.backAtUs - b.backAtUs)
  }

  #hear({ sentAtUs, backAtUs, isIn, quota }: Coming): void {
    const { gate } = this
    gate.nowUs = Math.max(gate.nowUs, backAtUs)
    if (isIn) this.served++
    else this.refused++
    const took = { admittedAtUs: sentAtUs, sentAtUs, respondedAtUs: backAtUs, rttUs: backAtUs - sentAtUs }
    const settled = settleGate(gate.policy, gate.state, gate.nowUs, { id: "t", fence: 1, reserved: 1, actual: null, ...took })
    gate.state = learn(gate.policy, settled, gate.nowUs, answer(isIn ? "served" : "refused", sentAtUs, { respondedAtUs: backAtUs, quota }))
  }

  #next(): number {
    this.#random = (this.#random * 48_271) % 2_147_483_647
    return this.#random / 2_147_483_647
  }
}
