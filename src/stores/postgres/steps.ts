// Steps as transactions. One that changes something takes the lock of its namespace first; one that conflicts with another is run again
// as a whole. Those of one process come one after the other, so that they do not queue up inside the server with a connection each.

import { SluiceError } from "../../errors/index.ts"
import { type ClockState, clockStart, laterClock } from "../../store/clock.ts"
import { systemWorld, type World } from "../../world/index.ts"
import { isConnectionLost, isRetryable, translate } from "./errors.ts"
import { Numbers } from "./numbers.ts"
import type { Client, Pool } from "./pool.ts"
import type { Queryable } from "./queryable.ts"
import { PostgresRecords } from "./records.ts"
import { type Dialect, Session } from "./session.ts"
import type { Row } from "./sql.ts"

/** How often a step that conflicts is run before it is told. */
const mostTries = 10
const longestPauseMs = 200

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

export class Steps {
  private readonly parts: StepsParts
  private readonly numbers = new Numbers()
  private clock: ClockState = clockStart
  private last: Promise<unknown> = Promise.resolve()
  private isClosed = false

  constructor(parts: StepsParts) {
    this.parts = parts
  }

  /** Answers with what the step gave, and whether there is news. */
  async write<T>(step: (records: PostgresRecords) => Promise<T>): Promise<{ readonly answer: T; readonly hasNews: boolean }> {
    const turn = this.last.then(() => this.retried(() => this.changeOnce(step)))
    this.last = turn.catch(() => {})
    return turn
  }

  async read<T>(step: (records: PostgresRecords) => Promise<T>): Promise<T> {
    return this.retried(() => this.lookOnce(step))
  }

  async close(): Promise<void> {
    this.isClosed = true
    await this.last
  }

  private changeOnce<T>(step: (records: PostgresRecords) => Promise<T>): Promise<{ readonly answer: T; readonly hasNews: boolean }> {
    const { dialect, channel } = this.parts
    return this.inTransaction("BEGIN", "lockNamespace", async (client, row) => {
      const records = this.open(client, row, true)
      const answer = await step(records)
      await records.end(channel)
      await client.query(dialect.plain("COMMIT"))
      this.clock = laterClock(this.clock, records.time)
      return { answer, hasNews: records.hasNews }
    })
  }

  private lookOnce<T>(step: (records: PostgresRecords) => Promise<T>): Promise<T> {
    const { dialect } = this.parts
    return this.inTransaction("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY", "readNamespace", async (client, row) => {
      const records = this.open(client, row, false)
      const answer = await step(records)
      await client.query(dialect.plain("COMMIT"))
      // Read without being written: remembered here, so that this process at least never goes back.
      this.clock = laterClock(this.clock, records.time)
      return answer
    })
  }

  private open(client: Queryable, row: Row | undefined, isChanging: boolean): PostgresRecords {
    const { dialect, ns, world, hasOwnClock } = this.parts
    const wallMs = hasOwnClock ? world.wallMs() : null
    const sql = new Session(client, dialect)
    return new PostgresRecords({ ns, sql, row, wallMs, seen: this.clock, isChanging, numbers: this.numbers })
  }

  private async inTransaction<T>(begin: string, first: string, work: (client: Client, row: Row | undefined) => Promise<T>): Promise<T> {
    const { pool, dialect, ns, place } = this.parts
    if (this.isClosed) throw new SluiceError("store_closed", `${place}: expected an open store, this one was closed`)
    const client = await pool.connect()
    let broken: Error | undefined
    try {
      // One round trip for both. The number is ours, and no text of anybody.
      const text = dialect.query(first).text.replaceAll("$1", String(ns))
      const answers = (await client.query(dialect.plain(`${begin}; ${text}`))) as unknown as { readonly rows: readonly Row[] }[]
      return await work(client, answers[1]?.rows[0])
    } catch (error) {
      if (isConnectionLost(error)) broken = error as Error
      else
        await client.query(dialect.plain("ROLLBACK")).catch((cause: Error) => {
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
        if (!isRetryable(error) || tries >= mostTries) throw translate(error, place)
        // In real time, whatever clock the store goes by: those who are in the way are real.
        const pauseMs = Math.min(longestPauseMs, 2 ** tries) * (0.5 + systemWorld.random())
        await new Promise<void>((resolve) => systemWorld.timer(pauseMs, resolve))
      }
    }
  }
}
