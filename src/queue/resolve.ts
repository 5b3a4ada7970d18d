// From a URL to a store. The only place that knows concrete stores, and it loads no more than the one that is asked for.

import { SluiceError, shown } from "../errors/index.ts"
import type { OpenStore } from "../store/index.ts"
import { maskPassword, nearest } from "../units/index.ts"

const stores: Readonly<Record<string, () => Promise<{ readonly open: OpenStore }>>> = {
  memory: () => import("../stores/memory/index.ts"),
  sqlite: () => import("../stores/sqlite/index.ts"),
  redis: () => import("../stores/redis/index.ts"),
  rediss: () => import("../stores/redis/index.ts"),
}

export async function resolveStore(url: string): Promise<OpenStore> {
  const scheme = typeof url === "string" ? /^([a-z0-9]+):/.exec(url)?.[1] : undefined
  const load = scheme !== undefined && Object.hasOwn(stores, scheme) ? stores[scheme] : undefined
  if (load) return (await load()).open
  const near = scheme === undefined ? null : nearest(scheme, Object.keys(stores))
  throw new SluiceError(
    "unknown_store",
    `store: expected a URL such as "sqlite:./sluice.db", "redis://localhost:6379" or "memory:", got ${shown(typeof url === "string" ? maskPassword(url) : url)}${near ? `; did you mean "${near}:"?` : ""}`,
  )
}
