// One connection that is made again for ever: idle, connecting, ready, lost and connecting again, until it is closed. Whoever asks while
// there is none waits, but not longer than a bound. Nothing is sent twice here: whoever has sent something and got no answer is told so,
// and knows better whether to repeat it.
//
// The network is real whatever clock the queue is tested with, so its pauses are those of the machine.

import { insecure, isSluiceError, SluiceError } from "../../errors/index.ts"
import { sleep, systemWorld } from "../../world/index.ts"
import type { Client, Connect } from "./driver.ts"
import { isDenied, translate } from "./errors.ts"
import type { Host } from "./location.ts"

const world = systemWorld
const firstPauseMs = 50
const longestPauseMs = 2_000

export interface LinkOptions {
  readonly place: string
  /** How long to wait for a connection. */
  readonly patienceMs: number
  readonly connect: Connect
  /** Where to connect to, asked each time: it may have moved. */
  locate(): Promise<Host>
  /** What is done on each new connection before anybody has it. */
  greet?(client: Client): Promise<void>
}

interface Asking {
  resolve(client: Client): void
  reject(error: Error): void
}

export class Link {
  private readonly options: LinkOptions
  private client: Client | null = null
  private isConnecting = false
  private readonly closing = new AbortController()
  private readonly asking = new Set<Asking>()
  /** Why there is no connection. */
  private cause: unknown = null

  constructor(options: LinkOptions) {
    this.options = options
  }

  get current(): Client | null {
    return this.client
  }

  /** The connection; where there is none, as soon as there is. */
  ready(): Promise<Client> {
    if (this.closing.signal.aborted) return Promise.reject(this.closed())
    if (this.client) return Promise.resolve(this.client)
    this.start()
    return new Promise((resolve, reject) => {
      const late = world.timer(this.options.patienceMs, () => asking.reject(this.absent()))
      const done = () => {
        late.cancel()
        this.asking.delete(asking)
      }
      const asking: Asking = {
        resolve: (client) => {
          done()
          resolve(client)
        },
        reject: (error) => {
          done()
          reject(error)
        },
      }
      this.asking.add(asking)
    })
  }

  /** Begins to connect, without anybody asking for it yet. */
  start(): void {
    if (!this.client && !this.isConnecting && !this.closing.signal.aborted) void this.keepConnecting()
  }

  /** This connection leads to the wrong place by now: what was sent on it is still answered, what comes goes over another. */
  renew(client: Client): void {
    if (this.client !== client) return
    this.client = null
    client.close().catch(() => client.destroy())
    this.start()
  }

  /** Resolves when what was sent has been answered, or after the bound. */
  async close(): Promise<void> {
    if (this.closing.signal.aborted) return
    this.closing.abort()
    for (const asking of [...this.asking]) asking.reject(this.closed())
    const { client } = this
    this.client = null
    if (!client) return
    const late = world.timer(this.options.patienceMs, () => client.destroy())
    await client.close().catch(() => client.destroy())
    late.cancel()
  }

  private async keepConnecting(): Promise<void> {
    this.isConnecting = true
    const { signal } = this.closing
    for (let tries = 0; !this.client && !signal.aborted; tries++) {
      try {
        await this.connectOnce()
      } catch (error) {
        this.cause = error
        // Asking again would only fill the server's log; whoever asks next tries again.
        if (isFinal(error)) break
        await sleep(world, world.random() * Math.min(longestPauseMs, firstPauseMs * 2 ** tries), signal)
      }
    }
    this.isConnecting = false
    if (!this.client) for (const asking of [...this.asking]) asking.reject(signal.aborted ? this.closed() : this.absent())
  }

  private async connectOnce(): Promise<void> {
    const { connect, locate, greet } = this.options
    let lost: Error | null = null
    let client: Client | null = null
    client = await connect(await locate(), (cause) => {
      lost = cause
      if (client) this.lose(client, cause)
    })
    try {
      await greet?.(client)
      if (lost) throw lost
    } catch (error) {
      client.destroy()
      throw error
    }
    if (this.closing.signal.aborted) return client.destroy()
    this.client = client
    this.cause = null
    for (const asking of [...this.asking]) asking.resolve(client)
  }

  private lose(client: Client, cause: Error): void {
    if (this.client !== client) return
    this.client = null
    this.cause = cause
    this.start()
  }

  private absent(): Error {
    const { place, patienceMs } = this.options
    if (isFinal(this.cause)) return translate(this.cause, place)
    const because = this.cause instanceof Error && this.cause.message !== "" ? ` (${this.cause.message})` : ""
    return new SluiceError(
      "store_unavailable",
      `${place}: expected a connection within ${patienceMs}ms, got none; see whether the server runs and can be reached from here${because}`,
      { cause: this.cause },
    )
  }

  private closed(): Error {
    return new SluiceError("store_closed", `${this.options.place}: expected an open store, this one was closed`)
  }
}

/** No time changes it. */
function isFinal(error: unknown): boolean {
  return isSluiceError(error) ? !error.retryable : isDenied(error) || insecure(error, "") !== null
}
