// Wake-ups. News from this connection wakes at once. Commits of other connections, in this process or another, change
// `data_version`, which is cheap to read and takes no lock: it is looked at while somebody waits, ever more slowly while
// nothing happens, and whoever waits is woken only if there was news in it. Else idle workers would wake each other for ever.

import { Waiters } from "../../store/waiters.ts"
import type { Timer, World } from "../../world/index.ts"
import type { Connection } from "./connection.ts"

const shortestMs = 5
const longestMs = 100

export class Watcher {
  private readonly connection: Connection
  private readonly ns: number
  private readonly world: World
  private readonly waiters = new Waiters()
  private version: number
  private news: number
  private pauseMs = shortestMs
  private timer: Timer | null = null
  private count = 0
  private isClosed = false

  constructor(connection: Connection, ns: number, world: World) {
    this.connection = connection
    this.ns = ns
    this.world = world
    this.version = this.readVersion()
    this.news = this.readNews()
  }

  /** Never fails: the step whose news it is has been committed. */
  wake(): void {
    try {
      this.news = this.readNews()
    } catch {
      // Then the next look wakes somebody for nothing.
    }
    this.waiters.wake()
  }

  async wait(signal: AbortSignal): Promise<void> {
    this.count++
    // News since the last look counts as having come after this call: better once too often.
    if (this.look() !== "news") {
      this.arm()
      await this.waiters.wait(signal)
    }
    if (--this.count === 0) this.disarm()
  }

  close(): void {
    this.isClosed = true
    this.disarm()
    this.waiters.wake()
  }

  private arm(): void {
    if (this.isClosed || this.timer || this.count === 0) return
    this.timer = this.world.timer(this.pauseMs, () => {
      this.timer = null
      // Nobody hears of an error here. Whoever is woken asks the store, and is told.
      if (this.look() === "unreadable") this.waiters.wake()
      this.arm()
    })
  }

  private disarm(): void {
    this.timer?.cancel()
    this.timer = null
  }

  /** Where there was news, whoever waits has been woken. */
  private look(): "news" | "nothing" | "unreadable" {
    if (this.isClosed) return "news"
    const before = this.news
    try {
      const version = this.readVersion()
      const isChanged = version !== this.version
      this.version = version
      if (isChanged) this.news = this.readNews()
    } catch {
      this.pauseMs = longestMs
      return "unreadable"
    }
    const isNews = this.news !== before
    this.pauseMs = isNews ? shortestMs : Math.min(longestMs, this.pauseMs * 2)
    if (isNews) this.waiters.wake()
    return isNews ? "news" : "nothing"
  }

  private readVersion(): number {
    return this.connection.dataVersion.rows()[0]?.[0] as number
  }

  private readNews(): number {
    return this.connection.statements("readNews").rows(this.ns)[0]?.[0] as number
  }
}
