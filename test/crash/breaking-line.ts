// Between a client and its server: a line that breaks at a chosen moment, once for each time that it is told to. Nobody on either side is told
// more than that the line is gone.

import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"

/** When a line breaks, by what goes over it. */
export interface Breach {
  /** What the client sends, with which the moment comes. */
  readonly at: (sent: Buffer) => boolean
  /** What the server has to say first; null: the server never gets what was sent. */
  readonly after: ((answered: Buffer) => boolean) | null
}

export interface BreakingLine {
  readonly url: string
  /** Where the next line breaks that comes to it. */
  breakNext: Breach | null
  /** How often one broke. */
  readonly broken: number
  close(): Promise<void>
}

export async function breakingLine(to: string): Promise<BreakingLine> {
  const url = new URL(to)
  const [host, port] = [url.hostname, Number(url.port)]
  const ends = new Set<Socket>()
  const line = { url: "", broken: 0, breakNext: null as Breach | null, close }
  const server = createServer((client) => {
    const behind = connect(port, host)
    let awaited: Breach["after"] = null
    const end = () => {
      client.destroy()
      behind.destroy()
    }
    const breakIt = () => {
      line.broken++
      end()
    }
    for (const socket of [client, behind]) {
      ends.add(socket)
      socket.on("error", () => {})
      socket.on("close", () => {
        ends.delete(socket)
        end()
      })
    }
    client.on("data", (chunk) => {
      const breach = line.breakNext
      if (breach?.at(chunk)) {
        line.breakNext = null
        if (breach.after === null) return breakIt()
        awaited = breach.after
      }
      behind.write(chunk)
    })
    behind.on("data", (chunk) => {
      if (awaited?.(chunk)) breakIt()
      else client.write(chunk)
    })
  })
  async function close(): Promise<void> {
    for (const socket of ends) socket.destroy()
    server.close()
    await once(server, "close")
  }
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  url.port = String((server.address() as AddressInfo).port)
  line.url = url.href
  return line
}
