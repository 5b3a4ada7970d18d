// A SQLite store of which somebody sees every statement, in the moment in which it has been carried out: the real driver, the real
// file, and a function around each statement.

import type { Store } from "../../src/store/index.ts"
import { openConnection } from "../../src/stores/sqlite/connection.ts"
import type { Database } from "../../src/stores/sqlite/driver.ts"
import { prepareStatements } from "../../src/stores/sqlite/statements.ts"
import { SqliteStore } from "../../src/stores/sqlite/store.ts"
import type { World } from "../../src/world/index.ts"

/** Carries the statement out. */
export type AroundStatement = <T>(sql: string, carryOut: () => T) => T

/** The namespace has to be there already: somebody else has opened the file before. */
export async function openWatched(path: string, world: World, around: AroundStatement): Promise<Store> {
  const connection = await openConnection({ path, durability: "normal", maxBytes: null }, world)
  // So small that checkpoints and new beginnings of the log happen within the script, as they do in a file that lives long.
  connection.database.exec("PRAGMA wal_autocheckpoint = 8")
  const ns = connection.statements("findNamespace").rows("default")[0]?.[0] as number
  const database = watched(connection.database, around)
  return new SqliteStore({ ...connection, database, statements: prepareStatements(database) }, "default", ns, world)
}

export function watched(database: Database, around: AroundStatement): Database {
  return {
    ...database,
    exec: (sql) => around(sql, () => database.exec(sql)),
    prepare(sql) {
      const statement = database.prepare(sql)
      return {
        run: (...values) => around(sql, () => statement.run(...values)),
        rows: (...values) => around(sql, () => statement.rows(...values)),
      }
    },
  }
}
