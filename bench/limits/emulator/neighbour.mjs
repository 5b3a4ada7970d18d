// Somebody else on the same limit: requests at random times (Poisson), the same for the same seed and key.
import { seeded } from "../../limits-http/random.mjs"

export class Neighbour {
  #random
  #share
  #ratePerMs

  constructor({ share, ratePerMs, cost = 1, seed = 1 }, key, fromMs) {
    if ((share === undefined) === (ratePerMs === undefined)) throw new Error("neighbour: expected either share or ratePerMs")
    this.#random = seeded(seed + hash(key))
    this.#share = share
    this.#ratePerMs = ratePerMs
    this.cost = cost
    this.nextAtMs = fromMs
  }

  /** Draws the time of the next request; `limitPerMs` is what a share is a share of. */
  goOn(limitPerMs) {
    const ratePerMs = this.#ratePerMs ?? (this.#share * limitPerMs) / this.cost
    this.nextAtMs += -Math.log(1 - this.#random()) / ratePerMs
  }
}

function hash(text) {
  let mixed = 0
  for (let i = 0; i < text.length; i++) mixed = (Math.imul(mixed, 31) + text.charCodeAt(i)) | 0
  return mixed >>> 0
}
