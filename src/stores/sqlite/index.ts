// `sqlite:./sluice.db`: the embedded default. Any number of processes on one file.

import type { OpenStore } from "../../store/open.ts"
import type { World } from "../../world/index.ts"
import { Commits } from "./commit.ts"
import { type Connection, openConnection, parseLocation } from "./connection.ts"
import { translate } from "./errors.ts"
import { SqliteStore } from "./store.ts"

export const open: OpenStore = async ({ url, namespace, world }) => {
  const connection = await openConnection(parseLocation(url), world)
  try {
    return new SqliteStore(connection, namespace, await numberOf(connection, namespace, world), world)
  } catch (error) {
    connection.close()
    throw translate(error, connection.path)
  }
}

async function numberOf(connection: Connection, namespace: string, world: World): Promise<number> {
  const find = () => connection.statements("findNamespace").rows(namespace)[0]?.[0] as number | undefined
  const add = () => {
    connection.statements("addNamespace").run(namespace)
    return find() as number
  }
  return find() ?? new Commits(connection.database, connection.path, world).run(add)
}
