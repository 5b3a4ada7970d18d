// Each worker has a part of the rate for `leaseMs` and keeps to it by itself (as Doorman does it): few operations, and what one does not use nobody
// else gets meanwhile.
import { Pulse } from "./demand.mjs"

export class Shares {
  #timeline
  #perMs
  #leaseMs
  #start
  #holders
  operations = 0

  constructor({ timeline, perSecond, workers, leaseMs, start }) {
    this.#timeline = timeline
    this.#perMs = perSecond / 1_000
    this.#leaseMs = leaseMs
    this.#start = start
    this.#holders = Array.from({ length: workers }, () => ({
      waiting: 0,
      pulse: new Pulse(),
      wanted: 0,
      perMs: 0,
      nextAtMs: 0,
      timer: null,
    }))
    // They come one after the other, and not all at once.
    for (const [i, holder] of this.#holders.entries()) timeline.at((i / workers) * leaseMs, () => this.#refresh(holder))
  }

  arrived(worker) {
    const holder = this.#holders[worker]
    holder.pulse.add(this.#timeline.nowMs)
    holder.waiting++
    this.#serve(holder)
  }

  #refresh(holder) {
    this.operations++
    holder.wanted = holder.pulse.perMs(this.#timeline.nowMs) + holder.waiting / this.#leaseMs
    const others = this.#holders.reduce((sum, other) => (other === holder ? sum : sum + other.perMs), 0)
    holder.perMs = Math.max(0, Math.min(this.#fairOf(holder), this.#perMs - others))
    holder.timer?.cancel()
    holder.timer = null
    holder.nextAtMs = Math.min(holder.nextAtMs, this.#timeline.nowMs + 1 / holder.perMs)
    this.#serve(holder)
    this.#timeline.at(this.#timeline.nowMs + this.#leaseMs, () => this.#refresh(holder))
  }

  /** What everybody gets who wants more than that, and what is left by those who want less. */
  #fairOf({ wanted }) {
    let left = this.#perMs
    const wants = this.#holders.map((holder) => holder.wanted).sort((a, b) => a - b)
    for (const [i, want] of wants.entries()) {
      const level = left / (wants.length - i)
      if (want > level) return Math.min(wanted, level)
      left -= want
    }
    // Nobody is held back: what is left goes to those who want something, by what they want.
    return wanted === 0 ? 0 : (wanted * this.#perMs) / (this.#perMs - left)
  }

  #serve(holder) {
    if (holder.timer || holder.waiting === 0 || holder.perMs <= 0) return
    holder.timer = this.#timeline.at(holder.nextAtMs, () => {
      holder.timer = null
      holder.waiting--
      holder.nextAtMs = this.#timeline.nowMs + 1 / holder.perMs
      this.#start()
      this.#serve(holder)
    })
  }
}
