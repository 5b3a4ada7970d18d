// Answers that come together are taken one after the other, each once what the one before has brought can have gone out. Exchanges that are
// sent in one breath are carried out in one and answered in one: taken together, what they brought would be sent in one breath again, and
// from then on the worker waits while the store works, and the store while the worker does. Once apart, they stay apart.

import type { World } from "../world/index.ts"
import { nextTurn } from "./calm.ts"

/** One until the next exchange is made, one until the client of the store writes it, and one to be behind that. */
const turnsApart = 3
/** Whose turns are long has other things to wait for, and what was claimed has to start soon. */
const longestApartMs = 5

export class OneByOne {
  private readonly world: World
  private taken: Promise<void> | null = null

  constructor(world: World) {
    this.world = world
  }

  /** Resolves at once where nobody has come in these turns. */
  async next(): Promise<void> {
    while (this.taken) await this.taken
    this.taken = this.pass()
  }

  private async pass(): Promise<void> {
    const untilMs = this.world.monotonicMs() + longestApartMs
    for (let turns = 0; turns < turnsApart && this.world.monotonicMs() < untilMs; turns++) await nextTurn(this.world)
    this.taken = null
  }
}
