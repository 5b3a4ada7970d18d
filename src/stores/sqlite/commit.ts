// Commits: what is waiting in this process shares one transaction, and so one flush to disk, each step behind a savepoint of
// its own. The lock is never waited for inside SQLite, because that would stop the event loop: a busy database is tried again
// after a short random while, and steps that arrive meanwhile join.

import { SluiceError } from "../../errors/index.ts"
import type { World } from "../../world/index.ts"
import type { Database } from "./driver.ts"
import { isBusy, translate } from "./errors.ts"

interface Step {
  readonly run: () => void
  readonly resolve: () => void
  readonly reject: (error: Error) => void
}

/** A transaction takes no further steps after this long, so that other processes get their turn. */
const longestMs = 20
/** When even this long the lock could not be had, something is wrong. */
const giveUpAfterMs = 60_000
const shortestPauseMs = 1
const longestPauseMs = 50

export class Commits {
  private readonly database: Database
  private readonly path: string
  private readonly world: World
  private waiting: Step[] = []
  private isScheduled = false
  private busySinceMs: number | null = null
  private pauseMs = shortestPauseMs
  private isClosed = false

  constructor(database: Database, path: string, world: World) {
    this.database = database
    this.path = path
    this.world = world
  }

  /** Runs the step in a transaction; resolves once it is on disk. */
  run<T>(work: () => T): Promise<T> {
    if (this.isClosed)
      return Promise.reject(new SluiceError("store_closed", `sqlite ${this.path}: expected an open store, this one was closed`))
    return new Promise<T>((resolve, reject) => {
      let answer: { readonly value: T } | null = null
      this.waiting.push({
        run: () => {
          answer = { value: work() }
        },
        resolve: () => resolve((answer as { value: T }).value),
        reject,
      })
      this.schedule()
    })
  }

  /** Resolves when nothing is waiting any more; takes nothing new. */
  async close(): Promise<void> {
    const last = this.waiting.length > 0 ? this.run(() => undefined).catch(() => undefined) : null
    this.isClosed = true
    await last
  }

  private schedule(): void {
    if (this.isScheduled) return
    this.isScheduled = true
    this.world.turn(() => this.flush())
  }

  private flush(): void {
    this.isScheduled = false
    if (this.waiting.length === 0) return
    if (!this.begin()) return
    const startedAtMs = this.world.monotonicMs()
    let done: Step[] = []
    try {
      do {
        const step = this.waiting.shift() as Step
        const failure = this.attempt(step)
        if (failure === null) done.push(step)
        else {
          step.reject(translate(failure.error, this.path))
          if (failure.isTransactionLost) {
            // A full disk ends the whole transaction. Its other steps did nothing wrong: they are run again in the next one.
            this.rollback()
            this.waiting.unshift(...done)
            done = []
            return
          }
        }
      } while (this.waiting.length > 0 && this.world.monotonicMs() - startedAtMs < longestMs)
      this.database.exec("COMMIT")
    } catch (error) {
      this.rollback()
      for (const step of done) step.reject(translate(error, this.path))
      done = []
    } finally {
      if (this.waiting.length > 0) this.schedule()
    }
    for (const step of done) step.resolve()
  }

  /** A step that fails takes back its own writes and leaves the others theirs. */
  private attempt(step: Step): { readonly error: unknown; readonly isTransactionLost: boolean } | null {
    try {
      this.database.exec("SAVEPOINT step")
      step.run()
      this.database.exec("RELEASE step")
      return null
    } catch (error) {
      return { error, isTransactionLost: !this.takeBack() }
    }
  }

  private takeBack(): boolean {
    try {
      this.database.exec("ROLLBACK TO step; RELEASE step")
      return true
    } catch {
      return false
    }
  }

  private begin(): boolean {
    try {
      this.database.exec("BEGIN IMMEDIATE")
      this.busySinceMs = null
      this.pauseMs = shortestPauseMs
      return true
    } catch (error) {
      if (isBusy(error)) this.tryLater(error)
      else this.failAll(error)
      return false
    }
  }

  private tryLater(error: unknown): void {
    const nowMs = this.world.monotonicMs()
    this.busySinceMs ??= nowMs
    if (nowMs - this.busySinceMs > giveUpAfterMs) {
      this.busySinceMs = null
      this.failAll(error)
      return
    }
    this.isScheduled = true
    this.world.timer(this.pauseMs * (0.5 + this.world.random()), () => this.flush())
    this.pauseMs = Math.min(longestPauseMs, this.pauseMs * 2)
  }

  private failAll(error: unknown): void {
    const failed = this.waiting
    this.waiting = []
    for (const step of failed) step.reject(translate(error, this.path))
  }

  private rollback(): void {
    try {
      this.database.exec("ROLLBACK")
    } catch {
      // Some failures, a full disk among them, have ended the transaction already.
    }
  }
}
