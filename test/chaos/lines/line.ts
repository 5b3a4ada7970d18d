// One port that leads to the server, and what can be done to those who use it: hang up, swallow an answer that the server has given and
// hang up, hold everything back and deliver it late, swallow everything.

import { connect, createServer, type Server, type Socket } from "node:net"

export const cuts = ["reset", "answer", "held", "swallowed"] as const
export type Cut = (typeof cuts)[number]

interface Pair {
  readonly near: Socket
  readonly far: Socket
}

/** What the server sends by itself is no answer. */
const message = Buffer.from("*3\r\n$7\r\nmessage\r\n")

export class Line {
  private readonly server: Server
  private readonly pairs = new Set<Pair>()
  private state: Cut | null = null
  /** Called once an answer was swallowed. */
  private swallowed = () => {}

  constructor(port: number) {
    this.server = createServer({ noDelay: true }, (near) => this.join(near, port))
  }

  async listen(): Promise<number> {
    await new Promise<void>((resolve) => this.server.listen(0, "127.0.0.1", resolve))
    return (this.server.address() as { port: number }).port
  }

  /** `ms` is how long it lasts, or how long an answer is waited for. */
  async cut(how: Cut, ms: number): Promise<void> {
    if (how === "reset") return this.resetAll()
    this.state = how
    if (how === "held") for (const { near, far } of this.pairs) for (const socket of [near, far]) socket.pause()
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms)
      this.swallowed = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    this.state = null
    if (how === "held") for (const { near, far } of this.pairs) for (const socket of [near, far]) socket.resume()
    if (how === "swallowed") this.resetAll()
  }

  private join(near: Socket, port: number): void {
    const pair = { near, far: connect({ port, host: "127.0.0.1", noDelay: true }) }
    this.pairs.add(pair)
    this.carry(pair.near, pair.far, pair)
    this.carry(pair.far, pair.near, pair)
    if (this.state === "held") for (const socket of [pair.near, pair.far]) socket.pause()
  }

  private carry(from: Socket, to: Socket, pair: Pair): void {
    from.on("error", () => {})
    from.on("close", () => {
      to.destroy()
      this.pairs.delete(pair)
    })
    from.on("data", (chunk: Buffer) => {
      if (this.state === "swallowed") return
      if (this.state !== "answer" || from === pair.near || isMessage(chunk)) to.write(chunk)
      else {
        this.state = null
        pair.near.resetAndDestroy()
        this.swallowed()
      }
    })
  }

  private resetAll(): void {
    for (const { near, far } of [...this.pairs]) {
      near.resetAndDestroy()
      far.destroy()
    }
  }
}

function isMessage(chunk: Buffer): boolean {
  return chunk.subarray(0, message.length).equals(message)
}
