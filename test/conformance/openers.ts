// How the tests start each store: one entry for each folder under src/stores, on a place of its own that goes away again.

import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { OpenStore } from "../../src/store/open.ts"
import { open as openMemory } from "../../src/stores/memory/index.ts"
import type { Backing, OpenBacking } from "../../src/testing/conformance/index.ts"
import { type PostgresPlace, postgresPlace } from "../engines/postgres-place.ts"
import { redisPlace } from "../engines/redis-place.ts"
import { s3Place } from "../engines/s3-place.ts"
import { httpBacking } from "./http-backing.ts"

let made = 0
let schema: Promise<PostgresPlace> | null = null

function backing(open: OpenStore, url: string, close: () => Promise<void>): Backing {
  return { open: ({ namespace = "default", world }) => open({ url, namespace, world }), close }
}

/** Where making the tables takes longer than a test: several share them, each with namespaces of its own. */
export function inOwnNamespaces(open: OpenStore, url: string): Backing {
  const own = `test-${++made}-`
  return {
    open: async ({ namespace = "default", world }) => {
      const store = await open({ url, namespace: `${own}${namespace}`, world })
      const describe = store.describe.bind(store)
      return Object.assign(store, { describe: async () => ({ ...(await describe({})), namespace }) })
    },
    close: async () => {},
  }
}

export const openers: Readonly<Record<string, OpenBacking>> = {
  http: httpBacking,

  memory: async () => backing(openMemory, `memory:conformance-${++made}`, async () => {}),

  sqlite: async () => {
    const { open } = await import("../../src/stores/sqlite/index.ts")
    const folder = await mkdtemp(join(tmpdir(), "sluice-conformance-"))
    return backing(open, `sqlite:${join(folder, "x.db")}`, () => rm(folder, { recursive: true, force: true }))
  },

  redis: async () => {
    const { open } = await import("../../src/stores/redis/index.ts")
    const place = await redisPlace()
    return backing(open, place.url, place.clear)
  },

  postgres: async () => {
    const { open } = await import("../../src/stores/postgres/index.ts")
    // The tables are made once: each has namespaces of its own in them. They go away with the server.
    schema ??= postgresPlace()
    const { url } = await schema
    return inOwnNamespaces(open, url)
  },

  s3: async () => {
    const { open } = await import("../../src/stores/s3/index.ts")
    const { url } = await s3Place()
    return backing(open, url, async () => {})
  },
}
