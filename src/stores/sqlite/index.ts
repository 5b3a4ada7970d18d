// `sqlite:./sluice.db`: the embedded default. Any number of processes on one file.

import type { OpenStore } from "../../store/open.ts"
import { Commits } from "./commit.ts"
import { openConnection, parseLocation } from "./connection.ts"
import { SqliteStore } from "./store.ts"

export const open: OpenStore = async ({ url, namespace, world }) => {
  const connection = await openConnection(parseLocation(url), world)
  const find = () => connection.statements("findNamespace").rows(namespace)[0]?.[0] as number | undefined
  const commits = new Commits(connection.database, connection.path, world)
  const ns =
    find() ??
    (await commits.run(() => {
      connection.statements("addNamespace").run(namespace)
      return find() as number
    }))
  return new SqliteStore(connection, namespace, ns, world)
}
