// Wake-ups: every step that has news publishes once, and one connection of the store listens, from the first time that somebody waits.
// Whoever waits is woken by a message, and when the connection has been made, or made again: what came before was not heard. Nothing polls.

import { Waiters } from "../../store/waiters.ts"
import { Link, type LinkOptions } from "./link.ts"

export class News {
  private readonly waiters = new Waiters()
  private readonly link: Link
  private isClosed = false

  constructor(options: Omit<LinkOptions, "greet">, base: string) {
    const channel = channelOf(base)
    this.link = new Link({
      ...options,
      greet: async (client) => {
        await client.subscribe(channel, () => this.waiters.wake())
        this.waiters.wake()
      },
    })
  }

  async wait(signal: AbortSignal): Promise<void> {
    // A store that was closed has no news any more. To return would have whoever waits in a loop ask again at once, and again.
    if (!this.isClosed) this.link.start()
    await this.waiters.wait(signal)
  }

  async close(): Promise<void> {
    this.isClosed = true
    this.waiters.wake()
    await this.link.close()
  }
}

export function channelOf(base: string): string {
  return `${base}news`
}
