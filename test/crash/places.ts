// Where each store keeps its data in these tests: every store of the conformance suite takes part. SQLite without its flush to disk,
// because a process that ends takes nothing from the system's memory, and there are some ten thousand commits.

import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { open as openSqlite } from "../../src/stores/sqlite/index.ts"
import type { Backing, OpenBacking } from "../../src/testing/conformance/index.ts"
import { systemWorld } from "../../src/world/index.ts"
import { openers } from "../conformance/openers.ts"

/** A file of SQLite's that somebody else takes care of. */
export function sqliteAt(path: string): Backing {
  const url = `sqlite:${path}?durability=normal`
  return { open: ({ namespace = "default", world }) => openSqlite({ url, namespace, world }), close: async () => {} }
}

export const places: Readonly<Record<string, OpenBacking>> = {
  ...openers,
  sqlite: async () => {
    const folder = await mkdtemp(join(tmpdir(), "sluice-crash-"))
    const path = join(folder, "x.db")
    laidOut ??= layOut()
    await writeFile(path, await laidOut)
    return { ...sqliteAt(path), close: () => rm(folder, { recursive: true, force: true }) }
  },
}

let laidOut: Promise<Buffer> | null = null

/** An empty database, made once: to make all its tables takes as long as a third of the script. */
async function layOut(): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), "sluice-crash-"))
  try {
    const path = join(folder, "x.db")
    await (await sqliteAt(path).open({ world: systemWorld })).close()
    return await readFile(path)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
