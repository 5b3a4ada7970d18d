// Wake-ups: every step that has news notifies once, and one connection of the store listens, from the first time that somebody waits.
// Where nobody can listen (behind a pooler that hands out connections by the transaction), the counter of news is looked at. All of it
// in real time, whatever clock the store goes by: the connection is real.

import { Waiters } from "../../store/waiters.ts"
import { systemWorld, type Timer } from "../../world/index.ts"
import type { Pool } from "./pool.ts"
import { quoted } from "./schema.ts"
import { type Dialect, Session } from "./session.ts"

const shortestMs = 20
const longestMs = 500
const firstPauseMs = 50
const longestPauseMs = 5_000

export interface NewsParts {
  readonly pool: Pool
  readonly dialect: Dialect
  readonly ns: number
  readonly channel: string
  readonly isListening: boolean
}

export class News {
  private readonly parts: NewsParts
  private readonly waiters = new Waiters()
  /** Ends the connection that listens. */
  private hangUp: (() => void) | null = null
  private isStarted = false
  private isClosed = false
  private pauseMs = firstPauseMs
  private timer: Timer | null = null
  private seen: string | null = null
  private waiting = 0

  constructor(parts: NewsParts) {
    this.parts = parts
  }

  async wait(signal: AbortSignal): Promise<void> {
    if (!this.isStarted && !this.isClosed) {
      this.isStarted = true
      if (this.parts.isListening) void this.listen()
      else this.poll(shortestMs)
    }
    this.waiting++
    try {
      await this.waiters.wait(signal)
    } finally {
      this.waiting--
    }
  }

  /** What this process has done itself it need not be told. */
  wake(): void {
    this.waiters.wake()
  }

  async close(): Promise<void> {
    this.isClosed = true
    this.timer?.cancel()
    this.waiters.wake()
    this.hangUp?.()
  }

  private async listen(): Promise<void> {
    const { pool, dialect, channel } = this.parts
    try {
      const client = await pool.connect()
      this.hangUp = once(() => {
        this.hangUp = null
        client.removeAllListeners("notification")
        client.release(true)
        this.again()
      })
      if (this.isClosed) return this.hangUp()
      client.on("notification", (message) => {
        if (message.channel === channel) this.waiters.wake()
      })
      client.on("error", this.hangUp)
      client.on("end", this.hangUp)
      await client.query(dialect.plain(`LISTEN ${quoted(channel)}`))
      this.pauseMs = firstPauseMs
      // What came before was not heard.
      this.waiters.wake()
    } catch {
      if (this.hangUp) this.hangUp()
      else this.again()
    }
  }

  private again(): void {
    if (this.isClosed) return
    const pauseMs = this.pauseMs * (0.5 + systemWorld.random())
    this.pauseMs = Math.min(longestPauseMs, this.pauseMs * 2)
    this.timer?.cancel()
    this.timer = systemWorld.timer(pauseMs, () => void this.listen())
  }

  private poll(pauseMs: number): void {
    if (this.isClosed) return
    this.timer = systemWorld.timer(pauseMs, () => {
      void this.look().then(
        (isNews) => this.poll(isNews ? shortestMs : Math.min(longestMs, pauseMs * 2)),
        () => {
          // Nobody hears of an error here. Whoever is woken asks the store, and is told.
          this.waiters.wake()
          this.poll(longestMs)
        },
      )
    })
  }

  private async look(): Promise<boolean> {
    const { pool, dialect, ns } = this.parts
    if (this.waiting === 0) return false
    const client = await pool.connect()
    try {
      const [row] = await new Session(client, dialect).rows("readNews", ns)
      const news = row?.[0] as string
      const isNews = news !== this.seen
      this.seen = news
      if (isNews) this.waiters.wake()
      return isNews
    } finally {
      client.release()
    }
  }
}

/** A connection may end in several ways at once. */
function once(act: () => void): () => void {
  let isDone = false
  return () => {
    if (!isDone) act()
    isDone = true
  }
}
