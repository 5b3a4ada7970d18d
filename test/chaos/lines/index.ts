// Lines to a server, one for each process, so that what is done to a line is known to be done to that process. There are so many ports
// and no more: the port of a process that is gone is given to another.

import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import type { Cut } from "./line.ts"
import type { FromLines, LinesSettings, ToLines } from "./lines-process.ts"

/** Workers and submitters, and those that take a while to end. */
const count = 32

export class Lines {
  private readonly process: ChildProcess
  private readonly ports: readonly number[]
  private readonly users = new Map<number, string>()
  private readonly underWay = new Map<number, () => void>()
  private made = 0

  static async start(port: number): Promise<Lines> {
    const script = fileURLToPath(new URL("./lines-process.js", import.meta.url))
    const child = fork(script, [JSON.stringify({ port, count } satisfies LinesSettings)])
    const [{ ports }] = (await once(child, "message")) as [Extract<FromLines, { kind: "listening" }>]
    return new Lines(child, ports)
  }

  private constructor(child: ChildProcess, ports: readonly number[]) {
    this.process = child
    this.ports = ports
    child.on("message", (message: FromLines) => {
      if (message.kind === "over") this.over(message.id)
    })
  }

  /** The port that this process is to use, until it is gone. */
  portFor(name: string): number {
    const line = this.ports.findIndex((_, i) => !this.users.has(i))
    if (line === -1) throw new Error(`chaos: expected no more than ${count} processes at a time`)
    this.users.set(line, name)
    return this.ports[line] as number
  }

  gone(name: string): void {
    const line = this.lineOf(name)
    if (line !== null) this.users.delete(line)
  }

  /** Resolves when it is over. */
  async cut(name: string, how: Cut, ms: number): Promise<void> {
    const line = this.lineOf(name)
    if (line !== null) await this.tell({ line, how, ms })
  }

  /** Those that come meanwhile are cut off as well. */
  async cutAll(how: Cut, ms: number): Promise<void> {
    await Promise.all(this.ports.map((_, line) => this.tell({ line, how, ms })))
  }

  async end(): Promise<void> {
    const ended = once(this.process, "exit")
    this.process.disconnect()
    await ended
    for (const id of [...this.underWay.keys()]) this.over(id)
  }

  private tell(message: Omit<ToLines, "id">): Promise<void> {
    const id = ++this.made
    return new Promise((resolve) => {
      this.underWay.set(id, resolve)
      this.process.send({ id, ...message } satisfies ToLines)
    })
  }

  private over(id: number): void {
    this.underWay.get(id)?.()
    this.underWay.delete(id)
  }

  private lineOf(name: string): number | null {
    return [...this.users].find(([, user]) => user === name)?.[0] ?? null
  }
}
