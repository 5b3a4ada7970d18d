// The SQLite store: the steps of src/store on rows, writes through shared commits, reads without a lock.

import { stat } from "node:fs/promises"
import { SluiceError } from "../../errors/index.ts"
import { type ClockState, clockStart } from "../../store/clock.ts"
import type { StoreDescription } from "../../store/contract.ts"
import type { ExchangeAnswer, ExchangeRequest } from "../../store/exchange-contract.ts"
import { SteppedStore } from "../../store/stepped.ts"
import type { World } from "../../world/index.ts"
import { Commits } from "./commit.ts"
import type { Connection } from "./connection.ts"
import { translate } from "./errors.ts"
import { schemaVersion } from "./migrate.ts"
import { SqliteRecords } from "./records.ts"
import { SelfCheck } from "./self-check.ts"
import { Watcher } from "./watcher.ts"

export class SqliteStore extends SteppedStore {
  readonly kind = "sqlite"
  private readonly connection: Connection
  private readonly namespace: string
  private readonly ns: number
  protected readonly world: World
  private readonly commits: Commits
  private readonly watcher: Watcher
  private readonly selfCheck: SelfCheck
  private clock: ClockState = clockStart
  private isClosed = false

  constructor(connection: Connection, namespace: string, ns: number, world: World) {
    super()
    this.connection = connection
    this.namespace = namespace
    this.ns = ns
    this.world = world
    this.watcher = new Watcher(connection, ns, world)
    this.commits = new Commits(connection.database, connection.path, world)
    this.selfCheck = new SelfCheck(connection.database)
  }

  async describe(): Promise<StoreDescription> {
    const { path, durability, database } = this.connection
    const schema = await this.read(() => schemaVersion(database))
    const counts = (await this.counts({ type: null })).byStatus
    const sizes = await Promise.all(
      [path, `${path}-wal`].map((file) =>
        stat(file)
          .then(({ size }) => size)
          .catch(() => 0),
      ),
    )
    return {
      kind: this.kind,
      namespace: this.namespace,
      durability:
        durability === "full"
          ? "full: an acknowledged write survives a power loss"
          : "normal: survives a crash of the process; a power loss may take the last commits",
      facts: {
        file: path,
        driver: database.driver,
        sqlite: String(database.prepare("SELECT sqlite_version()").rows()[0]?.[0]),
        journal: String(database.prepare("PRAGMA journal_mode").rows()[0]?.[0]),
        synchronous: durability,
        schema,
        file_bytes: sizes[0] ?? 0,
        wal_bytes: sizes[1] ?? 0,
        ...counts,
      },
    }
  }

  override async exchange(request: ExchangeRequest): Promise<ExchangeAnswer> {
    const answer = await super.exchange(request)
    if (this.selfCheck.isDue(request, answer)) await this.read(() => this.selfCheck.run())
    return answer
  }

  /** Of a closed store nobody waits for news: answered at once, who waits would ask again at once, and nothing else would run any more. */
  async wait(_request: { readonly workerId: string }, signal: AbortSignal): Promise<void> {
    this.checkOpen()
    return this.watcher.wait(signal)
  }

  async close(): Promise<void> {
    if (this.isClosed) return
    this.isClosed = true
    await this.commits.close()
    this.watcher.close()
    this.connection.close()
  }

  protected async write<T>(step: (records: SqliteRecords) => T): Promise<T> {
    const { answer, hasNews } = await this.commits.run(() => {
      const records = this.open()
      const done = step(records)
      this.clock = records.end()
      return { answer: done, hasNews: records.hasNews }
    })
    if (hasNews) this.watcher.wake()
    return answer
  }

  protected async read<T>(step: (records: SqliteRecords) => T): Promise<T> {
    const { path } = this.connection
    this.checkOpen()
    try {
      const records = this.open()
      const answer = step(records)
      // Read without being written: remembered here, so that this connection at least never goes back.
      this.clock = records.time
      return answer
    } catch (error) {
      throw translate(error, path)
    }
  }

  private checkOpen(): void {
    if (!this.isClosed) return
    throw new SluiceError("store_closed", `sqlite ${this.connection.path}: expected an open store, this one was closed`)
  }

  private open(): SqliteRecords {
    return new SqliteRecords(this.ns, this.connection.statements, this.world.wallMs(), this.clock)
  }
}
