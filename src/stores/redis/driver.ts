// The client library, an optional peer: loaded when a Redis store is opened, behind the small face that the store needs. One client is one
// connection; when it breaks it is over, and link.ts makes another.

import { SluiceError } from "../../errors/index.ts"
import { randomHex, systemWorld } from "../../world/index.ts"
import type { Host, Location } from "./location.ts"
import { keepPulse, type Pulse } from "./pulse.ts"

export type Argument = string | Buffer

export interface Client {
  /** Of this connection alone. */
  readonly id: string
  /** Bulk strings come as bytes: what tasks carry need not be text. */
  send(args: readonly Argument[]): Promise<unknown>
  subscribe(channel: string, heard: (message: string) => void): Promise<void>
  /** Resolves once what was sent is answered. */
  close(): Promise<void>
  destroy(): void
}

/** Connects, says who asks, and tells once when the connection is over. */
export type Connect = (host: Host, ended: (cause: Error) => void) => Promise<Client>

const connectMs = 5_000

export async function loadDriver({ username, password, database, isTls }: Location): Promise<Connect> {
  const { createClient, RESP_TYPES } = await load()
  return async ({ host, port }, ended) => {
    const client = createClient({
      ...(username !== null && { username }),
      ...(password !== null && { password }),
      database,
      // The older protocol: all of it is needed, and proxies know it too.
      RESP: 2,
      maintNotifications: "disabled",
      clientInfoTag: "sluice",
      // Waiting and trying again are the link's: what is kept here would be sent later than anybody knows of.
      disableOfflineQueue: true,
      commandOptions: { typeMapping: { [RESP_TYPES.BLOB_STRING]: Buffer } },
      socket: {
        ...{ host, port, connectTimeout: connectMs, reconnectStrategy: false },
        // A certificate is for a name; of an address there is none to send.
        ...(isTls ? { tls: true as const, ...(/^[\d.]+$|:/.test(host) ? {} : { servername: host }) } : {}),
      },
    })
    // What is in flight is told of it by itself; without a listener the process would end.
    client.on("error", () => {})
    let pulse: Pulse | null = null
    const end = (cause: Error) => {
      pulse?.stop()
      ended(cause)
    }
    client.on("terminated", end)
    await client.connect()
    pulse = keepPulse(
      systemWorld,
      () => client.ping(),
      (cause) => {
        end(cause)
        client.destroy()
      },
    )
    return clientOf(client, pulse)
  }
}

function clientOf(client: Library, pulse: Pulse): Client {
  const send = async (args: readonly Argument[]) => {
    const answered = pulse.sent()
    try {
      return (await client.sendCommand(args)) as unknown
    } finally {
      answered()
    }
  }
  return {
    id: randomHex(systemWorld, 16),
    send,
    subscribe: (channel, heard) => client.subscribe(channel, heard),
    close: () => {
      pulse.stop()
      return client.isOpen ? client.close() : Promise.resolve()
    },
    destroy: () => {
      pulse.stop()
      client.destroy()
    },
  }
}

/** What is used of the library's client. */
interface Library {
  readonly isOpen: boolean
  sendCommand(args: readonly Argument[]): Promise<unknown>
  subscribe(channel: string, heard: (message: string) => void): Promise<void>
  close(): Promise<void>
  destroy(): void
}

async function load() {
  try {
    return await import("@redis/client")
  } catch (cause) {
    if ((cause as { code?: unknown }).code !== "ERR_MODULE_NOT_FOUND") throw cause
    throw new SluiceError(
      "missing_dependency",
      "redis: expected the package @redis/client, which is installed only where Redis is used, but there is none; install it: npm install @redis/client",
      { cause },
    )
  }
}
