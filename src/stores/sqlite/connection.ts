// One connection: the file, its settings, its schema, its prepared statements.

import { closeSync, openSync } from "node:fs"
import { SluiceError, shown } from "../../errors/index.ts"
import { formatSize, oneOf, parseSize } from "../../units/index.ts"
import { sleep, type World } from "../../world/index.ts"
import { type Database, openDatabase, type Statement } from "./driver.ts"
import { isBusy, translate } from "./errors.ts"
import { migrate } from "./migrate.ts"
import { prepareStatements, type Statements } from "./statements.ts"

export type Durability = "full" | "normal"

export interface Connection {
  readonly path: string
  readonly durability: Durability
  readonly database: Database
  readonly statements: Statements
  readonly dataVersion: Statement
  close(): void
}

export interface Location {
  readonly path: string
  readonly durability: Durability
  readonly maxBytes: number | null
}

/** `sqlite:./sluice.db`, with `?durability=normal` and `?maxBytes=1GiB`. */
export function parseLocation(url: string): Location {
  const [path = "", ...query] = url.slice("sqlite:".length).split("?")
  const options = new URLSearchParams(query.join("?"))
  for (const name of options.keys()) {
    if (name !== "durability" && name !== "maxBytes") {
      throw new SluiceError("invalid_option", `store ${shown(url)}: expected the options durability or maxBytes, got ${shown(name)}`)
    }
  }
  const file = path.replace(/^\/\/(?=[^/])/, "")
  if (file === "" || file === ":memory:") {
    throw new SluiceError(
      "unknown_store",
      `store ${shown(url)}: expected a file such as "sqlite:./sluice.db"; for a queue without a file use "memory:"`,
    )
  }
  return {
    path: file,
    durability: options.has("durability") ? oneOf<Durability>("full", "normal")("store: durability", options.get("durability")) : "full",
    maxBytes: options.has("maxBytes") ? parseSize("store: maxBytes", options.get("maxBytes")) : null,
  }
}

/** Many processes may start on one file at once; whoever is not first waits a little and tries again. */
const openTries = 200

export async function openConnection(location: Location, world: World): Promise<Connection> {
  for (let left = openTries; ; left--) {
    try {
      return await tryOpen(location)
    } catch (error) {
      if (!isBusy(error) || left === 0) throw translate(error, location.path)
      await sleep(world, 5 + world.random() * 45)
    }
  }
}

async function tryOpen({ path, durability, maxBytes }: Location): Promise<Connection> {
  createPrivately(path)
  const database = await openDatabase(path)
  try {
    // Set on every connection: the drivers' own defaults differ. The wait for a lock is ours (commit.ts).
    database.exec("PRAGMA busy_timeout = 0")
    database.exec("PRAGMA journal_mode = WAL")
    database.exec(`PRAGMA synchronous = ${durability}`)
    database.exec("PRAGMA cache_size = -16384")
    database.exec("PRAGMA temp_store = MEMORY")
    database.exec("PRAGMA journal_size_limit = 67108864")
    // A page that is damaged is noticed when it is read, before something is built on it.
    database.exec("PRAGMA cell_size_check = ON")
    if (maxBytes !== null) limitSize(database, path, maxBytes)
    migrate(database, path)
    const dataVersion = database.prepare("PRAGMA data_version")
    return { path, durability, database, statements: prepareStatements(database), dataVersion, close: () => database.close() }
  } catch (error) {
    database.close()
    throw error
  }
}

/**
 * Tasks may hold secrets: the file is its owner's alone. SQLite gives its side files the same mode. Only a file that does not
 * exist is opened here: to close a file is to drop every lock that this process has on it, another connection's included, and
 * a connection without its lock can lose its writes when the last other process closes.
 */
function createPrivately(path: string): void {
  try {
    closeSync(openSync(path, "wx", 0o600))
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "EEXIST") return
    throw new SluiceError(
      "store_unavailable",
      `sqlite ${path}: expected to open or create the file; check the path and its permissions (${(cause as Error).message})`,
      { cause },
    )
  }
}

function limitSize(database: Database, path: string, maxBytes: number): void {
  const pageBytes = database.prepare("PRAGMA page_size").rows()[0]?.[0] as number
  const pages = Math.floor(maxBytes / pageBytes)
  const [row] = database.prepare(`PRAGMA max_page_count = ${pages}`).rows()
  const granted = (row?.[0] as number) * pageBytes
  if (granted > maxBytes)
    throw new SluiceError(
      "store_full",
      `sqlite ${path}: expected at most ${formatSize(maxBytes)}, but the file has ${formatSize(granted)} already`,
    )
}
