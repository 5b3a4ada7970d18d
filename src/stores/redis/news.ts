// Wake-ups: every step that has news publishes once, and one connection of the store listens, from the first time that somebody waits.
// Whoever waits is woken by a message, and when the connection has been made, or made again: what came before was not heard. Nothing polls.
//
// What this store submits itself is told to those who wait here when it is sent: whoever asks then, asks behind it on the same connection,
// and both are one round trip. The message that it causes is for others. It names the connection, and is left unheard only while that
// is the one that is asked: on another the question might have come before.

import { Waiters } from "../../store/waiters.ts"
import { systemWorld } from "../../world/index.ts"
import { Link, type LinkOptions } from "./link.ts"

export class News {
  private readonly waiters = new Waiters()
  private readonly link: Link
  private isClosed = false
  private isTelling = false

  /** `steps` is the connection that everything is asked on. */
  constructor(options: Omit<LinkOptions, "greet">, base: string, steps: Link) {
    const channel = channelOf(base)
    this.link = new Link({
      ...options,
      greet: async (client) => {
        await client.subscribe(channel, (sender) => {
          if (sender === "" || sender !== steps.current?.id) this.waiters.wake()
        })
        this.waiters.wake()
      },
    })
  }

  async wait(signal: AbortSignal): Promise<void> {
    // A store that was closed has no news any more. To return would have whoever waits in a loop ask again at once, and again.
    if (!this.isClosed) this.link.start()
    await this.waiters.wait(signal)
  }

  /** Something is being sent that those who wait may ask behind. They are told once it is on its way, so that it waits for none of them. */
  sent(): void {
    if (this.isTelling) return
    this.isTelling = true
    systemWorld.turn(() => {
      this.isTelling = false
      this.waiters.wake()
    })
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
