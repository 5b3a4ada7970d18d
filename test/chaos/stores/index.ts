// The stores that chaos can be let loose on. A new one is a file beside this that says how its server is started, and a line here.

import type { Lines } from "../lines/index.ts"
import { postgres } from "./postgres.ts"
import { redis } from "./redis.ts"
import { s3 } from "./s3.ts"
import { sqlite } from "./sqlite.ts"

export interface ChaosStore {
  readonly url: string
  /** Ends the server without warning and starts it again. Null where there is no server. */
  readonly restart: (() => Promise<void>) | null
  /** The ways to the server, which can be cut. */
  readonly lines: Lines | null
  stop(): Promise<void>
}

/** How a server keeps what it is told: what it may lose by a crash is measured, where it may lose anything. */
export interface Keeping {
  readonly appendonly: boolean
  readonly appendfsync: AppendFsync
}

export const fsyncs = ["always", "everysec", "no"] as const
export type AppendFsync = (typeof fsyncs)[number]

/** Everything that it keeps is in the folder, which is looked at afterwards when something was broken. */
export type StartStore = (folder: string, keeping: Keeping) => Promise<ChaosStore>

export const chaosStores: Readonly<Record<string, StartStore>> = { sqlite, redis, postgres, s3 }
