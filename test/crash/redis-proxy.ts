// Between a client and its Redis: a line that breaks at a chosen moment, before a step reaches the server or before its answer reaches the
// client. Nobody on either side is told more than that the line is gone.

import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"

export interface RedisProxy {
  readonly url: string
  /** What happens to the next step: the line breaks before the server has it, or once the server has answered it. */
  breakNext: "unsent" | "unanswered" | null
  /** How often it broke. */
  readonly broken: number
  close(): Promise<void>
}

const isStep = (chunk: Buffer) => chunk.includes("FCALL") || chunk.includes("EVALSHA")

export async function redisProxy(port: number): Promise<RedisProxy> {
  const lines = new Set<Socket>()
  const proxy = { url: "", broken: 0, breakNext: null as RedisProxy["breakNext"], close }
  const server = createServer((client) => {
    const behind = connect(port, "127.0.0.1")
    let isLosing = false
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
      if (proxy.breakNext !== null && isStep(chunk)) {
        const how = proxy.breakNext
        proxy.breakNext = null
        if (how === "unsent") return breakIt()
        isLosing = true
      }
      behind.write(chunk)
    })
    behind.on("data", (chunk) => {
      if (isLosing) breakIt()
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
  proxy.url = `redis://127.0.0.1:${(server.address() as AddressInfo).port}`
  return proxy
}
