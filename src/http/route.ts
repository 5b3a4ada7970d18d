// One route of the API: its schemas are what a request is checked by, what its handler's types are inferred from, and what the
// OpenAPI document is written from. A route knows nothing of tokens, hosts and headers: the guards do.

import { z } from "zod"
import type { Queue } from "../queue/index.ts"
import type { Role } from "./auth.ts"
import type { Realm } from "./realm.ts"

/** `anyone`: needs no token. `read`: any token. `admin`: a token that may change something. */
export type Access = "anyone" | "read" | "admin"
export type Method = "get" | "post" | "put" | "delete"

/** What a handler is given. */
export interface Asked<Params, Query, Body> {
  readonly params: Params
  readonly query: Query
  readonly body: Body
  readonly realm: Realm
  readonly queue: Queue
  /** Fires when whoever asked is gone. */
  readonly signal: AbortSignal
  /** For the change log: who asks. */
  readonly by: string
  /** What they may do, and whether that took a token. */
  readonly role: Role | null
  readonly needsToken: boolean
}

export interface RouteShape<Params extends z.ZodType, Query extends z.ZodType, Body extends z.ZodType> {
  readonly method: Method
  /** As in OpenAPI: "/api/v1/tasks/{id}". */
  readonly path: string
  readonly access: Access
  readonly tag: string
  readonly summary: string
  readonly details?: string
  readonly params?: Params
  readonly query?: Query
  readonly body?: Body
  /** What it answers with; null: something else than JSON, see `media`. */
  readonly answer: z.ZodType | null
  readonly media?: string
  readonly status?: 200 | 201
  /** A change by a person, worth a line in the audit log. Calls of workers are not: their tasks have histories. */
  readonly isAudited?: boolean
  /** Tasks, bytes and the like that it looks for beside its schema. */
  handle(asked: Asked<z.output<Params>, z.output<Query>, z.output<Body>>): Promise<unknown>
}

export interface Route extends Omit<RouteShape<z.ZodType, z.ZodType, z.ZodType>, "handle"> {
  handle(asked: Asked<never, never, never>): Promise<unknown>
}

export function route<
  Params extends z.ZodType = z.ZodType<Record<never, never>>,
  Query extends z.ZodType = z.ZodType<Record<never, never>>,
  Body extends z.ZodType = z.ZodType<Record<never, never>>,
>(shape: RouteShape<Params, Query, Body>): Route {
  return shape as unknown as Route
}

/** Of a route that takes none: anything that is said there is a mistake. */
export const nothing = z.strictObject({})
