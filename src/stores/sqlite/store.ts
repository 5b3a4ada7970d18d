// The SQLite store: the steps of src/store on rows, writes through shared commits, reads without a lock.

import { stat } from "node:fs/promises"
import { type ClockState, clockStart } from "../../store/clock.ts"
import type {
  CountsRequest,
  ExchangeRequest,
  ListRequest,
  MoveRequest,
  Store,
  StoreDescription,
  SubmitRequest,
  SweepRequest,
} from "../../store/contract.ts"
import { exchange } from "../../store/exchange.ts"
import { type Move, move } from "../../store/move.ts"
import { submit } from "../../store/submit.ts"
import { sweep } from "../../store/sweep.ts"
import { numberHistory } from "../../task/index.ts"
import type { World } from "../../world/index.ts"
import { Commits } from "./commit.ts"
import type { Connection } from "./connection.ts"
import { translate } from "./errors.ts"
import { schemaVersion } from "./migrate.ts"
import { SqliteRecords } from "./records.ts"
import { Watcher } from "./watcher.ts"

export class SqliteStore implements Store {
  readonly kind = "sqlite"
  private readonly connection: Connection
  private readonly namespace: string
  private readonly ns: number
  private readonly world: World
  private readonly commits: Commits
  private readonly watcher: Watcher
  private clock: ClockState = clockStart
  private isClosed = false

  constructor(connection: Connection, namespace: string, ns: number, world: World) {
    this.connection = connection
    this.namespace = namespace
    this.ns = ns
    this.world = world
    this.watcher = new Watcher(connection, ns, world)
    this.commits = new Commits(connection.database, connection.path, world)
  }

  submit(request: SubmitRequest) {
    return this.write((records) => submit(records, request))
  }

  exchange(request: ExchangeRequest) {
    return this.write((records) => exchange(records, request))
  }

  get({ ids }: { readonly ids: readonly string[] }) {
    return this.read((records) => ({ tasks: records.load(ids) }))
  }

  list(request: ListRequest) {
    return this.read((records) => records.list(request))
  }

  history({ id }: { readonly id: string }) {
    return this.read((records) => {
      const found = records.history(id)
      return { entries: found && numberHistory(found.entries, found.version) }
    })
  }

  counts(request: CountsRequest) {
    return this.read((records) => ({ byStatus: records.counts(request) }))
  }

  cancel(request: MoveRequest) {
    return this.move("cancel", request)
  }

  retry(request: MoveRequest) {
    return this.move("retry", request)
  }

  archive(request: MoveRequest) {
    return this.move("archive", request)
  }

  expire(request: MoveRequest) {
    return this.move("expire", request)
  }

  sweep(request: SweepRequest) {
    return this.write((records) => sweep(records, request))
  }

  now() {
    return this.read((records) => {
      // Read without being written: remembered here, so that this connection at least never goes back.
      this.clock = records.time
      return { nowMs: records.nowMs }
    })
  }

  async describe(): Promise<StoreDescription> {
    const { path, durability, database } = this.connection
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
        schema: schemaVersion(database),
        file_bytes: sizes[0] ?? 0,
        wal_bytes: sizes[1] ?? 0,
        ...counts,
      },
    }
  }

  wait(_request: { readonly workerId: string }, signal: AbortSignal): Promise<void> {
    return this.watcher.wait(signal)
  }

  async close(): Promise<void> {
    if (this.isClosed) return
    this.isClosed = true
    await this.commits.close()
    this.watcher.close()
    this.connection.close()
  }

  private move(name: Move, request: MoveRequest) {
    return this.write((records) => move(records, name, request))
  }

  private async write<T>(run: (records: SqliteRecords) => T): Promise<T> {
    const { answer, hasNews } = await this.commits.run(() => {
      const records = this.open()
      const done = run(records)
      this.clock = records.end()
      return { answer: done, hasNews: records.hasNews }
    })
    if (hasNews) this.watcher.wake()
    return answer
  }

  private async read<T>(run: (records: SqliteRecords) => T): Promise<T> {
    try {
      return run(this.open())
    } catch (error) {
      throw translate(error, this.connection.path)
    }
  }

  private open(): SqliteRecords {
    return new SqliteRecords(this.ns, this.connection.statements, this.world.wallMs(), this.clock)
  }
}
