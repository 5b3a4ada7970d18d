// The client library, an optional peer: loaded when a Postgres store is opened, behind the small face that the store needs.

import { SluiceError } from "../../errors/index.ts"
import type { Queryable } from "./session.ts"

export interface Client extends Queryable {
  /** Back to the pool; with an error it is not used again. */
  release(broken?: Error | boolean): void
  on(event: "notification", heard: (message: { readonly channel: string; readonly processId: number }) => void): unknown
  on(event: "error" | "end", heard: (error?: Error) => void): unknown
  removeAllListeners(event: string): unknown
  readonly processID?: number | null
}

export interface Pool {
  connect(): Promise<Client>
  end(): Promise<void>
  on(event: "error", heard: (error: Error) => void): unknown
}

interface Driver {
  readonly Pool: new (options: Record<string, unknown>) => Pool
}

export async function loadDriver(): Promise<Driver> {
  try {
    const loaded = (await import("pg")) as unknown as { readonly default?: Driver } & Driver
    return loaded.default ?? loaded
  } catch (cause) {
    if ((cause as { code?: unknown }).code !== "ERR_MODULE_NOT_FOUND") throw cause
    throw new SluiceError(
      "missing_dependency",
      "postgres: expected the package pg, which is installed only where Postgres is used, but there is none; install it: npm install pg",
      { cause },
    )
  }
}
