// How a store is opened: every folder under src/stores exports `open` of this type.

import type { World } from "../world/index.ts"
import type { Store } from "./contract.ts"

export interface OpenRequest {
  readonly url: string
  readonly namespace: string
  readonly world: World
  /** Connections of the user's own, for stores that take them. */
  readonly pool?: unknown
}

export type OpenStore = (request: OpenRequest) => Promise<Store>

export interface PendingMigration {
  readonly name: string
  /** What it would run. */
  readonly sql: string
}

/** The way of a store whose tables people may want to see changed before they are. */
export interface Migrations {
  /** For people to read, without credentials. */
  readonly place: string
  pending(): Promise<readonly PendingMigration[]>
  /** Answers with what it has applied. */
  apply(): Promise<readonly { readonly name: string }[]>
  close(): Promise<void>
}

/** A record of a store that is a log, for people: who wrote it and when, and what was asked in it. */
export interface ShownRecord {
  readonly number: number
  readonly writer: string
  readonly atMs: number
  readonly errorMs: number
  readonly requests: readonly { readonly id: string; readonly op: string; readonly request: unknown }[]
}

/** Of a store that is a log: the latest records that are there, the oldest first. */
export type ReadLog = (
  request: OpenRequest,
  options: { readonly from: number | null; readonly count: number },
) => AsyncIterable<ShownRecord>

export type OpenMigrations = (url: string) => Promise<Migrations>
