// Writes what this process has to say into the log. While one write is under way all that arrives waits, and goes into the next record
// together. A request is answered when the record that it stands in is applied, whichever attempt that was; nothing is applied before.

import { SluiceError } from "../../errors/index.ts"
import { randomHex, sleep, systemWorld, type World } from "../../world/index.ts"
import type { Log } from "./log.ts"
import { pause } from "./objects.ts"
import type { RecordHead } from "./record.ts"
import type { Applied } from "./replica.ts"
import { Turns } from "./turns.ts"

/** What one record holds at most, beyond its first request. */
const mostRequests = 1_000
const mostCharacters = 4 * 1_024 * 1_024

export type Stamp = Pick<RecordHead, "atMs" | "errorMs" | "behindAtMs">

interface Pending {
  readonly id: string
  readonly op: string
  readonly askedAtMs: number
  readonly make: (waitedMs: number) => unknown
  readonly resolve: (answered: { readonly answer: unknown; readonly waitedMs: number }) => void
  readonly reject: (error: unknown) => void
}

export interface CommitterOptions {
  readonly world: World
  readonly place: string
  readonly patienceMs: number
  readonly stamp: () => Stamp
}

/** Two stores of one process are two writers, whatever their randomness. */
let opened = 0

export class Committer {
  readonly writer: string
  private readonly options: CommitterOptions
  private readonly pending = new Map<string, Pending>()
  private asked = 0
  private attempt = 0
  private underWay: Promise<void> | null = null
  private readonly turns: Turns

  constructor(options: CommitterOptions) {
    this.options = options
    this.writer = `${randomHex(options.world, 12)}-${process.pid.toString(36)}-${(++opened).toString(36)}`
    this.turns = new Turns(systemWorld, this.writer)
  }

  /** `make` is called for each attempt, with how long the request has waited until then. */
  run(log: Log, op: string, make: Pending["make"]): Promise<{ readonly answer: unknown; readonly waitedMs: number }> {
    return new Promise((resolve, reject) => {
      const id = `${this.writer}.${++this.asked}`
      this.pending.set(id, { id, op, make, resolve, reject, askedAtMs: this.options.world.monotonicMs() })
      this.underWay ??= this.commitAll(log)
    })
  }

  answered(id: string, applied: Applied, waitedMs: number): void {
    const waiting = this.pending.get(id)
    if (!waiting) return
    this.pending.delete(id)
    if (applied.kind === "failed") waiting.reject(applied.error)
    else waiting.resolve({ answer: applied.answer, waitedMs })
  }

  /** A record was applied. */
  heard(head: RecordHead): void {
    this.turns.heard(head)
  }

  /** Everybody who waits is told. */
  fail(error: unknown): void {
    const all = [...this.pending.values()]
    this.pending.clear()
    for (const { reject } of all) reject(error)
  }

  /** Resolves when nothing waits any more. */
  async settled(): Promise<void> {
    while (this.underWay) await this.underWay
  }

  private async commitAll(log: Log): Promise<void> {
    // What arrives in the same turn shares the record.
    await new Promise<void>((resolve) => this.options.world.turn(resolve))
    let refusals = 0
    let busySinceMs: number | null = null
    while (this.pending.size > 0) {
      try {
        const advice = this.turns.next(log.tripMs)
        if (advice.kind === "read") {
          if ((await log.look()) === "end") await sleep(systemWorld, advice.pauseMs)
          continue
        }
        const written = await this.writeOnce(log, advice.more)
        if (written === "created") {
          refusals = 0
          busySinceMs = null
        } else if (written === "exists") {
          this.turns.lost()
          await log.look()
        } else {
          busySinceMs ??= systemWorld.monotonicMs()
          if (systemWorld.monotonicMs() - busySinceMs > this.options.patienceMs) throw this.tooBusy(written)
          if (written !== "busy") await log.look()
          if (this.pending.size > 0) await pause(refusals++)
        }
      } catch (error) {
        this.fail(error)
      }
    }
    // In the same turn in which nothing waits any more: whoever comes next begins anew.
    this.underWay = null
  }

  private writeOnce(log: Log, more: number) {
    const { world, stamp } = this.options
    const lines: string[] = []
    let characters = 0
    const at = stamp()
    for (const { id, op, askedAtMs, make } of this.pending.values()) {
      const waitedMs = Math.max(0, world.monotonicMs() - askedAtMs)
      const line = JSON.stringify({ id, op, waitedMs, request: make(waitedMs) })
      if (lines.length > 0 && characters + line.length > mostCharacters) break
      lines.push(line)
      characters += line.length
      if (lines.length >= mostRequests) break
    }
    const head = { number: log.replica.number + 1, writer: this.writer, attempt: ++this.attempt, ...at, ...(more > 0 ? { more } : {}) }
    return log.write(head, lines)
  }

  private tooBusy(written: "busy" | { readonly unknown: unknown }): SluiceError {
    const { place } = this.options
    return new SluiceError(
      "store_unavailable",
      `${place}: expected to write, but the server ${written === "busy" ? "is busy" : "gives no clear answer"}; try again later`,
      written === "busy" ? undefined : { cause: written.unknown },
    )
  }
}
