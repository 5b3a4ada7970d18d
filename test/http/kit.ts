// A server on loopback over a memory store, in real or in virtual time, and a client that speaks plain HTTP to it.

import { type Agent, request as httpRequest } from "node:http"
import { type ServeOptions, type SluiceServer, serve } from "../../src/http/index.ts"
import { type ConnectOptions, connect, type Queue } from "../../src/queue/index.ts"

export const adminToken = "aaa0123456789abcdef0123456789abcdef"
export const readToken = "bbbfedcba9876543210fedcba9876543210"

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
  json<T = Record<string, unknown>>(): T
}

export interface Asking {
  readonly method?: string
  readonly body?: unknown
  /** Sent as it is. */
  readonly text?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Whose connections are kept; a connection of its own if not given. */
  readonly agent?: Agent
}

export interface Stage {
  readonly queue: Queue
  readonly server: SluiceServer
  ask(path: string, asking?: Asking): Promise<Answer>
  close(): Promise<void>
}

export async function stage(options: ServeOptions = {}, world: ConnectOptions = {}, url = "memory:"): Promise<Stage> {
  const queue = await connect(url, world)
  const server = await serve(queue, { port: 0, requestsPerSecond: 1_000_000, ...options })
  return {
    queue,
    server,
    ask: (path, asking) => ask(server.port, path, asking),
    close: async () => {
      await server.close()
      await queue.close()
    },
  }
}

/** Not by fetch: that lets nobody say another Host. */
export function ask(port: number, path: string, { method, body, text, headers = {}, agent }: Asking = {}): Promise<Answer> {
  const sent = text ?? (body === undefined ? undefined : JSON.stringify(body))
  const verb = method ?? (sent === undefined ? "GET" : "POST")
  const framed = sent === undefined ? {} : { "content-length": String(Buffer.byteLength(sent)) }
  const type = verb === "GET" ? {} : { "content-type": "application/json", ...framed }
  return new Promise((resolve, reject) => {
    const asked = httpRequest(
      { host: "127.0.0.1", port, path, method: verb, headers: { ...type, ...headers }, agent: agent ?? false },
      (response) => {
        const chunks: Buffer[] = []
        response.on("data", (chunk: Buffer) => chunks.push(chunk))
        response.on("error", reject)
        response.on("end", () => {
          const all = Buffer.concat(chunks).toString()
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text: all, json: () => JSON.parse(all) })
        })
      },
    )
    asked.on("error", reject)
    asked.end(sent)
  })
}
