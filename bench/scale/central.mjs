// Every task asks the store for its moment: exact, and one operation a task.
import { StoreGate } from "./store-gate.mjs"

export class Central {
  #timeline
  #gate
  #wayMs
  #start

  constructor({ timeline, perSecond, wayMs, start }) {
    this.#timeline = timeline
    this.#gate = new StoreGate(perSecond)
    this.#wayMs = wayMs
    this.#start = start
  }

  get operations() {
    return this.#gate.operations
  }

  arrived() {
    this.#timeline.at(this.#timeline.nowMs + this.#wayMs, () => {
      const [atMs] = this.#gate.reserve(this.#timeline.nowMs, 1)
      this.#timeline.at(Math.max(atMs, this.#timeline.nowMs + this.#wayMs), this.#start)
    })
  }
}
