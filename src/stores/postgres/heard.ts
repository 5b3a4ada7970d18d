// A connection may break at any moment, between two statements of a step too: if nobody heard of it, the process would end. The next
// statement tells whoever has it.

import type { Client, Pool } from "./pool.ts"

/** A pool of the library's. By callback, because a promise is told a turn later: what came in the same packet would be heard by nobody. */
export interface LibraryPool {
  connect(taken: (error: Error | undefined, client: Client | undefined) => void): void
  end(): Promise<void>
}

export function heard(pool: LibraryPool): Pool {
  const known = new WeakSet<Client>()
  return {
    connect: () =>
      new Promise((resolve, reject) => {
        pool.connect((error, client) => {
          if (!client) return reject(error)
          if (!known.has(client)) client.on("error", () => {})
          known.add(client)
          resolve(client)
        })
      }),
    end: () => pool.end(),
  }
}
