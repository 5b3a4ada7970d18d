// Connections that the user hands in: a pool of `pg`, or one client of it, which then does one thing after the other and listens to nothing.
// They are his: nothing here ends them.

import { SluiceError, shown } from "../../errors/index.ts"
import { heard, type LibraryPool } from "./heard.ts"
import type { Client, Pool } from "./pool.ts"

export interface GivenPool {
  readonly pool: Pool
  /** Whether one of its connections may be kept to listen on. */
  readonly canListen: boolean
}

export function givenPool(given: unknown): GivenPool {
  if (isPool(given)) return { pool: heard({ connect: (taken) => given.connect(taken), end: async () => {} }), canListen: true }
  if (isClient(given)) return { pool: new OneClient(given), canListen: false }
  throw new SluiceError("invalid_option", `connect: pool: expected a Pool of pg, or a Client of it that is connected, got ${shown(given)}`)
}

/** Of a pool, its options tell how many it has; a client has none of these. */
function isPool(given: unknown): given is LibraryPool {
  return isObject(given) && typeof given.connect === "function" && typeof given.totalCount === "number"
}

function isClient(given: unknown): given is Omit<Client, "release"> {
  return isObject(given) && typeof given.query === "function" && typeof given.on === "function" && !("totalCount" in given)
}

function isObject(given: unknown): given is Record<string, unknown> {
  return typeof given === "object" && given !== null
}

class OneClient implements Pool {
  private readonly client: Omit<Client, "release">
  private last: Promise<void> = Promise.resolve()

  constructor(client: Omit<Client, "release">) {
    this.client = client
    // Here once: whoever has it in his hands is told by his statement.
    client.on("error", () => {})
  }

  async connect(): Promise<Client> {
    const before = this.last
    let release = () => {}
    this.last = new Promise((resolve) => {
      release = resolve
    })
    await before
    const { client } = this
    return {
      ...(client.pipeline === undefined ? {} : { pipeline: client.pipeline }),
      query: (request) => client.query(request),
      release,
      on: () => {},
      removeAllListeners: () => {},
    }
  }

  async end(): Promise<void> {}
}
