// Between a client and its Postgres: a line that breaks at a chosen moment of a transaction: once the server has begun it and holds its
// locks, before it has the end of it, or once it has committed and before anybody hears of that.

import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"

export type Moment = "begun" | "uncommitted" | "unanswered"

export interface PostgresProxy {
  readonly url: string
  /** Where the next transaction loses its line. */
  breakNext: Moment | null
  /** How often it broke. */
  readonly broken: number
  close(): Promise<void>
}

export async function postgresProxy(to: string): Promise<PostgresProxy> {
  const url = new URL(to)
  const [host, port] = [url.hostname, Number(url.port)]
  const lines = new Set<Socket>()
  const proxy = { url: "", broken: 0, breakNext: null as Moment | null, close }
  const server = createServer((client) => {
    const behind = connect(port, host)
    /** What the server has to say for the line to break then. */
    let last: string | null = null
    const end = () => {
      client.destroy()
      behind.destroy()
    }
    const breakIt = () => {
      proxy.broken++
      end()
    }
    for (const socket of [client, behind]) {
      lines.add(socket)
      socket.on("error", () => {})
      socket.on("close", () => {
        lines.delete(socket)
        end()
      })
    }
    client.on("data", (chunk) => {
      const how = proxy.breakNext
      if (how !== null && chunk.includes(how === "begun" ? "BEGIN" : "COMMIT")) {
        proxy.breakNext = null
        if (how === "uncommitted") return breakIt()
        last = how === "begun" ? "BEGIN" : "COMMIT"
      }
      behind.write(chunk)
    })
    behind.on("data", (chunk) => {
      if (last !== null && chunk.includes(last)) breakIt()
      else client.write(chunk)
    })
  })
  async function close(): Promise<void> {
    for (const socket of lines) socket.destroy()
    server.close()
    await once(server, "close")
  }
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  url.port = String((server.address() as AddressInfo).port)
  proxy.url = url.href
  return proxy
}
