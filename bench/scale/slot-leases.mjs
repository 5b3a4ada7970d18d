// Moments are leased by the handful: a lease is some consecutive moments ahead, each good until `leaseMs` after it. What is not used by then is
// lost, so nothing is given back and nobody has to be asked who died. At most `leaseMs` worth of moments can bunch.
import { Pulse } from "./demand.mjs"
import { StoreGate } from "./store-gate.mjs"

/** More at once would keep others waiting behind one. */
const mostWaiting = 32

class Holder {
  waiting = 0
  /** Moments that have come and were not used, earliest first. */
  ready = []
  /** How many are still to come. */
  ahead = 0
  isAsking = false
  pulse = new Pulse()
}

export class SlotLeases {
  #timeline
  #gate
  #wayMs
  #leaseMs
  #start
  #holders

  constructor({ timeline, perSecond, wayMs, workers, leaseMs, start }) {
    this.#timeline = timeline
    this.#gate = new StoreGate(perSecond)
    this.#wayMs = wayMs
    this.#leaseMs = leaseMs
    this.#start = start
    this.#holders = Array.from({ length: workers }, () => new Holder())
  }

  get operations() {
    return this.#gate.operations
  }

  arrived(worker) {
    const holder = this.#holders[worker]
    holder.pulse.add(this.#timeline.nowMs)
    holder.waiting++
    this.#serve(holder)
    this.#ask(holder)
  }

  #serve(holder) {
    const goodFromMs = this.#timeline.nowMs - this.#leaseMs
    while (holder.ready.length > 0 && holder.ready[0] < goodFromMs) holder.ready.shift()
    while (holder.waiting > 0 && holder.ready.length > 0) {
      holder.ready.shift()
      holder.waiting--
      this.#start()
    }
  }

  /** For what waits, which is sure to use them, and for half of what is likely to come while they are good, which may not. */
  #wanted({ waiting, pulse }) {
    const likely = pulse.perMs(this.#timeline.nowMs) * this.#leaseMs
    return Math.min(waiting, mostWaiting) + Math.floor(likely / 2)
  }

  #ask(holder) {
    if (holder.isAsking || holder.waiting === 0 || holder.ahead > 0) return
    holder.isAsking = true
    const wanted = this.#wanted(holder)
    this.#timeline.at(this.#timeline.nowMs + this.#wayMs, () => {
      const moments = this.#gate.reserve(this.#timeline.nowMs, wanted)
      this.#timeline.at(this.#timeline.nowMs + this.#wayMs, () => this.#receive(holder, moments))
    })
  }

  #receive(holder, moments) {
    holder.isAsking = false
    holder.ahead += moments.length
    for (const atMs of moments)
      this.#timeline.at(atMs, () => {
        holder.ahead--
        holder.ready.push(atMs)
        this.#serve(holder)
        this.#ask(holder)
      })
  }
}
