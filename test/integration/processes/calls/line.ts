// A proxy between processes and a store that can be cut: connections break, and new ones are refused or, as on a network that swallows
// packets, accepted and never answered.

import { connect, createServer, type Server, type Socket } from "node:net"

export type Cut = "refused" | "swallowed"

export class BreakableLine {
  private readonly server: Server
  private readonly sockets = new Set<Socket>()
  private cut: Cut | null = null

  constructor(port: number) {
    this.server = createServer((near) => {
      this.keep(near)
      if (this.cut === "refused") return near.destroy()
      if (this.cut === "swallowed") return near.resume()
      const far = connect(port, "127.0.0.1")
      this.keep(far)
      near.pipe(far)
      far.pipe(near)
    })
  }

  async listen(): Promise<number> {
    await new Promise<void>((resolve) => this.server.listen(0, "127.0.0.1", resolve))
    return (this.server.address() as { port: number }).port
  }

  /** From now on nothing comes through. */
  cutOff(how: Cut): void {
    this.cut = how
    this.breakAll()
  }

  /** Whoever connects from now on is let through. */
  restore(): void {
    this.cut = null
    this.breakAll()
  }

  async close(): Promise<void> {
    this.breakAll()
    await new Promise((resolve) => this.server.close(resolve))
  }

  private breakAll(): void {
    for (const socket of this.sockets) socket.destroy()
  }

  private keep(socket: Socket): void {
    this.sockets.add(socket)
    socket.on("error", () => {})
    socket.on("close", () => this.sockets.delete(socket))
  }
}
