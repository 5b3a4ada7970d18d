// From a URL to a store. The only place that knows concrete stores, and it loads no more than the one that is asked for.

import { SluiceError, shown } from "../errors/index.ts"
import type { OpenMigrations, OpenStore, ReadLog } from "../store/index.ts"
import { maskPassword, nearest } from "../units/index.ts"

const stores: Readonly<Record<string, () => Promise<{ readonly open: OpenStore }>>> = {
  memory: () => import("../stores/memory/index.ts"),
  sqlite: () => import("../stores/sqlite/index.ts"),
  redis: () => import("../stores/redis/index.ts"),
  rediss: () => import("../stores/redis/index.ts"),
  postgres: () => import("../stores/postgres/index.ts"),
  postgresql: () => import("../stores/postgres/index.ts"),
  s3: () => import("../stores/s3/index.ts"),
  http: () => import("../stores/http/index.ts"),
  https: () => import("../stores/http/index.ts"),
}

/** Of stores whose tables may be brought up to date by a command of their own. */
const migrations: Readonly<Record<string, () => Promise<{ readonly openMigrations: OpenMigrations }>>> = {
  postgres: () => import("../stores/postgres/migrations.ts"),
  postgresql: () => import("../stores/postgres/migrations.ts"),
}

/** Of stores that are a log. */
const logs: Readonly<Record<string, () => Promise<{ readonly readLog: ReadLog }>>> = { s3: () => import("../stores/s3/read-log.ts") }

export async function resolveLog(url: string): Promise<ReadLog | null> {
  return (await lookUp(logs, url)?.())?.readLog ?? null
}

export async function resolveStore(url: string): Promise<OpenStore> {
  const load = lookUp(stores, url)
  if (load) return (await load()).open
  throw unknownStore(url)
}

/** Null where the store has nothing of the kind. */
export async function resolveMigrations(url: string): Promise<OpenMigrations | null> {
  const load = lookUp(migrations, url)
  if (load) return (await load()).openMigrations
  if (lookUp(stores, url)) return null
  throw unknownStore(url)
}

function schemeOf(url: string): string | undefined {
  return typeof url === "string" ? /^([a-z0-9]+):/.exec(url)?.[1] : undefined
}

function lookUp<T>(table: Readonly<Record<string, T>>, url: string): T | undefined {
  const scheme = schemeOf(url)
  return scheme !== undefined && Object.hasOwn(table, scheme) ? table[scheme] : undefined
}

function unknownStore(url: string): SluiceError {
  const scheme = schemeOf(url)
  const near = scheme === undefined ? null : nearest(scheme, Object.keys(stores))
  return new SluiceError(
    "unknown_store",
    `store: expected a URL such as "sqlite:./sluice.db", "redis://localhost:6379", "postgres://localhost/app", "s3://bucket/prefix", "https://queue.example.com" (a Sluice server) or "memory:", got ${shown(typeof url === "string" ? maskPassword(url) : url)}${near ? `; did you mean "${near}:"?` : ""}`,
  )
}
