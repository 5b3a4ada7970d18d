// Steps as transactions. One that holds to limits takes the lock of its namespace first; those of one process come one after the other, so
// that they do not queue up inside of the server with a connection each. The next is sent as soon as the one before has sent its COMMIT, and
// waits for the lock inside of the server: else the server would stand still until its answer had been here and back. One that is free runs
// beside others. A step that conflicts with another is run again as a whole.

import { SluiceError } from "../../errors/index.ts"
import { type ClockState, clockStart, laterClock } from "../../store/clock.ts"
import { systemWorld, type World } from "../../world/index.ts"
import { isConnectionLost, isRetryable, sqlStateOf, translate } from "./errors.ts"
import { KnownGates } from "./known-gates.ts"
import { type Mode, NeedsLock, Overtaken } from "./mode.ts"
import { Numbers } from "./numbers.ts"
import type { Shared } from "./opening.ts"
import type { Client, Pool } from "./pool.ts"
import type { Queryable } from "./queryable.ts"
import { PostgresRecords } from "./records.ts"
import { type Dialect, Session } from "./session.ts"
import type { Row, Sql } from "./sql.ts"

/** How often a step that conflicts is run before it is told. */
const mostTries = 10
const longestPauseMs = 200

const beginnings: Readonly<Record<Mode, string>> = {
  looking: "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY",
  // Whatever the usual level of the database is: what was committed while it waited for the lock is what it has to see.
  locked: "BEGIN ISOLATION LEVEL READ COMMITTED",
  free: "BEGIN ISOLATION LEVEL READ COMMITTED",
}

/**
 * For the one transaction, so that it holds behind poolers too. A process that stands still in the midst of a step would keep the lock from
 * all others for as long: the server ends it. And every statement has the one index that it is written for: what the server knows of a table
 * that was empty a moment ago would have it choose another.
 */
const settings = [
  "idle_in_transaction_session_timeout = 2000",
  ...["plan_cache_mode = force_generic_plan", "enable_seqscan = off", "enable_bitmapscan = off", "enable_hashjoin = off"],
  ...["enable_mergejoin = off", "enable_material = off", "jit = off"],
]
  .map((setting) => `SET LOCAL ${setting}`)
  .join("; ")

export interface StepsParts {
  readonly place: string
  readonly pool: Pool
  readonly dialect: Dialect
  readonly ns: number
  readonly channel: string
  readonly world: World
  /** Whether time is the world's: for tests. */
  readonly hasOwnClock: boolean
}

type Step<T> = (records: PostgresRecords) => Promise<T>

/** Asks for what the step will need, together with its beginning. */
export type Foresee = (sql: Sql, mode: Mode) => void

const nothing: Foresee = () => {}

export interface Done<T> {
  readonly answer: T
  readonly hasNews: boolean
}

export class Steps {
  private readonly parts: StepsParts
  /** What the steps of this process have in common. */
  readonly shared: Shared = {
    ...{ numbers: new Numbers(), plainLanes: new Map(), servedTimes: new Map(), soleFlows: new Map(), knownGates: new KnownGates() },
  }
  private clock: ClockState = clockStart
  /** Until the locked step before has nothing more to send. */
  private last: Promise<unknown> = Promise.resolve()
  private readonly running = new Set<Promise<unknown>>()
  private isClosed = false

  constructor(parts: StepsParts) {
    this.parts = parts
  }

  write<T>(step: Step<T>, foresee = nothing): Promise<Done<T>> {
    const before = this.last
    let sent = () => {}
    const isSent = new Promise<void>((resolve) => {
      sent = resolve
    })
    this.last = isSent
    return this.kept(before.then(() => this.retried(() => this.inTransaction("locked", step, foresee, sent))).finally(sent))
  }

  /** Without the lock; null where the step needs it after all. */
  async writeFreely<T>(step: Step<T>, foresee: Foresee): Promise<Done<T> | null> {
    try {
      return await this.kept(this.retried(() => this.inTransaction("free", step, foresee)))
    } catch (error) {
      if (error instanceof NeedsLock) return null
      throw error
    }
  }

  /** Whoever closes waits for it. */
  private async kept<T>(turn: Promise<T>): Promise<T> {
    this.running.add(turn)
    try {
      return await turn
    } finally {
      this.running.delete(turn)
    }
  }

  /** In the transaction of whoever has opened it on this client, and ends it: nothing is kept before he does. */
  async writeWithin<T>(client: Queryable, isFree: boolean, step: Step<T>, foresee: Foresee): Promise<T> {
    const { dialect, place } = this.parts
    const mode = isFree ? "free" : "locked"
    // Whatever it finds he may have made himself in this transaction, and undo it.
    const shared = { ...this.shared, plainLanes: new Map(this.shared.plainLanes), knownGates: new KnownGates() }
    try {
      for (let tries = 1; ; tries++) {
        const sql = new Session(client, dialect)
        sql.begin("SAVEPOINT sluice")
        try {
          const { answer } = await this.perform(sql, mode, step, foresee, shared)
          await sql.end("RELEASE SAVEPOINT sluice")
          return answer
        } catch (error) {
          if (isConnectionLost(error)) throw error
          await new Session(client, dialect).end("ROLLBACK TO SAVEPOINT sluice")
          if (!isDuplicate(error) || tries >= mostTries) throw error
        }
      }
    } catch (error) {
      throw translate(error, place)
    }
  }

  async read<T>(step: Step<T>): Promise<T> {
    return (await this.retried(() => this.inTransaction("looking", step, nothing))).answer
  }

  async close(): Promise<void> {
    this.isClosed = true
    await Promise.allSettled([...this.running])
  }

  private async perform<T>(sql: Sql, mode: Mode, step: Step<T>, foresee: Foresee, shared = this.shared): Promise<Done<T>> {
    const { ns, world, hasOwnClock, channel } = this.parts
    const beginning = mode === "locked" ? lockedRow(sql, ns) : sql.rows("readNamespace", ns).then(([found]) => found)
    foresee(sql, mode)
    const row = await beginning
    const wallMs = hasOwnClock ? world.wallMs() : null
    const records = new PostgresRecords({ ns, sql, row, wallMs, seen: this.clock, mode, shared })
    const answer = await step(records)
    if (mode !== "looking") await records.end(channel)
    // Where it was read without being written it is remembered here, so that this process at least never goes back.
    this.clock = laterClock(this.clock, records.time)
    return { answer, hasNews: records.hasNews }
  }

  /** `sent`: called once nothing more has to be sent. */
  private async inTransaction<T>(mode: Mode, step: Step<T>, foresee: Foresee, sent = () => {}): Promise<Done<T>> {
    const { pool, dialect, place } = this.parts
    if (this.isClosed) throw new SluiceError("store_closed", `${place}: expected an open store, this one was closed`)
    const client: Client = await pool.connect()
    let broken: Error | undefined
    try {
      const sql = new Session(client, dialect)
      sql.begin(`${beginnings[mode]}; ${settings}`)
      const done = await this.perform(sql, mode, step, foresee)
      const ended = sql.end("COMMIT")
      sent()
      await ended
      return done
    } catch (error) {
      if (isConnectionLost(error)) broken = error as Error
      else
        await new Session(client, dialect).end("ROLLBACK").catch((cause: Error) => {
          broken = cause
        })
      throw error
    } finally {
      client.release(broken)
    }
  }

  private async retried<T>(run: () => Promise<T>): Promise<T> {
    const { place } = this.parts
    for (let tries = 1; ; tries++) {
      try {
        return await run()
      } catch (error) {
        if (error instanceof NeedsLock) throw error
        const isWorthIt = isRetryable(error) || isDuplicate(error) || error instanceof Overtaken
        if (!isWorthIt || tries >= mostTries) throw translate(error, place)
        // In real time, whatever clock the store goes by: those who are in the way are real.
        const pauseMs = Math.min(longestPauseMs, 2 ** tries) * (0.5 + systemWorld.random())
        await new Promise<void>((resolve) => systemWorld.timer(pauseMs, resolve))
      }
    }
  }
}

/** Two statements, sent together: one that waits reads all but the row that it waits for as it was before. */
async function lockedRow(sql: Sql, ns: number): Promise<Row | undefined> {
  const [[locked], [beside]] = await Promise.all([sql.rows("lockNamespace", ns), sql.rows("readBesideLock", ns)])
  if (!locked || !beside) return undefined
  const [virtualTime, clockMs, behindAtMs, ...writers] = locked
  return [virtualTime, clockMs, behindAtMs, ...beside, ...writers] as Row
}

/** Somebody without the lock has written the same id or key meanwhile: whoever looks again finds it. */
function isDuplicate(error: unknown): boolean {
  return sqlStateOf(error) === "23505"
}
