// The way to an S3 server as it is on a bad day: a part of the requests is refused, a part of the answers lost. In a process of its own.

import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import type { BadGatewaySettings } from "./bad-gateway-process.ts"

export class BadGateway {
  readonly port: number
  private readonly process: ChildProcess

  /** `port`: of the server. */
  static async start(port: number): Promise<BadGateway> {
    const script = fileURLToPath(new URL("./bad-gateway-process.js", import.meta.url))
    const settings: BadGatewaySettings = { port, busy: 0.05, conflict: 0.01, lost: 0.01 }
    const child = fork(script, [JSON.stringify(settings)])
    const [listening] = (await once(child, "message")) as [{ readonly port: number }]
    return new BadGateway(child, listening.port)
  }

  private constructor(child: ChildProcess, port: number) {
    this.process = child
    this.port = port
  }

  async end(): Promise<void> {
    const ended = once(this.process, "exit")
    this.process.disconnect()
    await ended
  }
}
