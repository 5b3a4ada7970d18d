// What the store needs of the library's pool and its clients.

import type { Queryable } from "./queryable.ts"

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
}
