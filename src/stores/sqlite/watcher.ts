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

  wake(): void {
    this.news = this.readNews()
    this.waiters.wake()
  }

  async wait(signal: AbortSignal): Promise<void> {
    this.count++
    // News since the last look counts as having come after this call: better once too often.
    if (!this.look()) {
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
      this.look()
      this.arm()
    })
  }

  private disarm(): void {
    this.timer?.cancel()
    this.timer = null
  }

  /** Whether there was news; then whoever waits has been woken. */
  private look(): boolean {
    if (this.isClosed) return true
    const version = this.readVersion()
    const isChanged = version !== this.version
    this.version = version
    const before = this.news
    if (isChanged) this.news = this.readNews()
    const isNews = this.news !== before
    this.pauseMs = isNews ? shortestMs : Math.min(longestMs, this.pauseMs * 2)
    if (isNews) this.waiters.wake()
    return isNews
  }

  private readVersion(): number {
    return this.connection.dataVersion.rows()[0]?.[0] as number
  }

  private readNews(): number {
    return this.connection.statements("readNews").rows(this.ns)[0]?.[0] as number
  }
}
