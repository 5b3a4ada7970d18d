// The line between a process and its store, with faults: what a proxy would do to a network, done to calls. A request may be lost
// before it arrives, come late (also later than the caller waits) or come twice, and a reply may be lost after the commit. Each
// fault is written down with the process as its victim.

import { setTimeout as sleep } from "node:timers/promises"
import { SluiceError } from "../../src/index.ts"
import type { Dice } from "../../src/testing/dice.ts"
import type { Store, WriteFact } from "../../src/testing/index.ts"
import { throughCalls } from "../../src/testing/through-calls.ts"

type LineFault = "lost_request" | "lost_reply" | "duplicate" | "slow"

export interface LineFaults {
  /** How many of all calls it happens to. `late` is a request that arrives after its caller has given up. */
  readonly share: Readonly<Record<LineFault | "late", number>>
  readonly slowMs: readonly [number, number]
  readonly lateMs: readonly [number, number]
  /** A call that took this long by itself is written down too: it explains a lease as well as a fault of ours. */
  readonly tooSlowMs: number
}

export class BadLine {
  private readonly faults: LineFaults
  private readonly proc: string
  private readonly dice: Dice
  private readonly write: WriteFact
  private isCalm: boolean

  constructor(faults: LineFaults, proc: string, dice: Dice, write: WriteFact) {
    this.faults = faults
    this.proc = proc
    this.dice = dice
    this.write = write
    this.isCalm = Object.values(faults.share).every((share) => share === 0)
  }

  /** From now on every call is carried out at once, and once. */
  calm(): void {
    this.isCalm = true
  }

  around(store: Store): Store {
    return throughCalls(store, async (operation, request, call) => {
      const fault = this.next()
      const atMs = Date.now()
      const note = (name: LineFault) => this.write({ op: "fault", fault: name, victim: this.proc, atMs, untilMs: Date.now() })
      if (fault === "lost_request") note(fault)
      else {
        const answer = await this.timed(note, async () => {
          if (fault === "slow" || fault === "late") await sleep(this.dice.between(...this.faults[`${fault}Ms`]))
          return call(request)
        })
        if (fault === "duplicate") void sleep(this.dice.between(0, 50)).then(() => call(request).catch(() => {}))
        if (fault !== null) note(fault === "late" ? "slow" : fault)
        if (fault !== "lost_reply") return answer
      }
      throw new SluiceError("store_unavailable", `chaos: ${operation}: ${fault === "lost_reply" ? "the reply" : "the request"} was lost`)
    })
  }

  /** Written down as soon as it is too slow: a process that waits may be killed before it has its answer. */
  private async timed(note: (fault: LineFault) => void, call: () => Promise<unknown>): Promise<unknown> {
    let isSlow = false
    const timer = setTimeout(() => {
      isSlow = true
      note("slow")
    }, this.faults.tooSlowMs)
    try {
      return await call()
    } finally {
      clearTimeout(timer)
      if (isSlow) note("slow")
    }
  }

  private next(): LineFault | "late" | null {
    if (this.isCalm) return null
    let left = this.dice.random()
    for (const [fault, share] of Object.entries(this.faults.share)) {
      left -= share
      if (left < 0) return fault as LineFault | "late"
    }
    return null
  }
}
