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
  /** Told when a look, while something waits to be written, has found nothing new. */
  readonly sawEnd: () => void
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
  /** Where what waits was written, or may have been, while that record is not applied. */
  private writtenAt: number | null = null
  private refusals = 0
  private busySinceMs: number | null = null
  private wake: () => void = () => {}
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
      this.wake()
    })
  }

  /** Nobody of an older version goes on behind a record of this layout: one without requests, where there is none yet. */
  async mark(log: Log): Promise<void> {
    const sinceMs = systemWorld.monotonicMs()
    for (let tries = 0; log.isOfOlderLayout; tries++) {
      const number = log.replica.number + 1
      const written = await this.write(log, { number }, [])
      if (written === "created") return
      await log.catchUp()
      if (written === "exists") {
        if (log.isOfOlderLayout && log.replica.number >= number) throw this.besideOlder()
      } else if (systemWorld.monotonicMs() - sinceMs > this.options.patienceMs) throw this.tooBusy(written)
      else await pause(tries)
    }
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
    this.writtenAt = null
    for (const { reject } of all) reject(error)
  }

  /** Resolves when nothing waits any more. */
  async settled(): Promise<void> {
    this.wake()
    while (this.underWay) await this.underWay
  }

  private async commitAll(log: Log): Promise<void> {
    // What arrives in the same turn shares the record.
    await new Promise<void>((resolve) => this.options.world.turn(resolve))
    do {
      if (this.pending.size === 0) await this.leave(log)
      try {
        while (this.pending.size > 0) await this.advance(log)
      } catch (error) {
        this.fail(error)
      }
    } while (this.pending.size > 0 || this.turns.isExpected)
    // In the same turn in which nothing waits any more: whoever comes next begins anew.
    this.underWay = null
  }

  private async advance(log: Log): Promise<void> {
    const { number: end } = log.replica
    if (this.writtenAt !== null && end >= this.writtenAt) this.writtenAt = null
    const advice = this.turns.next({ end, writtenAt: this.writtenAt, ...log.pace })
    if (advice.kind === "read") {
      const lookedAtMs = systemWorld.monotonicMs()
      if ((await log.look(advice.upTo)) === "end") {
        this.turns.sawEnd(lookedAtMs)
        this.options.sawEnd()
      }
      if (log.replica.number === end) await sleep(systemWorld, advice.pauseMs)
    } else if (advice.kind === "fill") {
      const written = await this.write(log, advice.head, [])
      if (written !== "created") await log.look()
    } else await this.writePending(log, advice.head)
  }

  /** What stands in it is written nowhere else while it may come to be there. */
  private async writePending(log: Log, head: Pick<RecordHead, "number">): Promise<void> {
    this.turns.wrote()
    this.writtenAt = head.number
    const written = await this.write(log, head, this.pending.values())
    if (written === "created" || written === "exists") {
      this.refusals = 0
      this.busySinceMs = null
      if (written === "created") return
      this.turns.lost()
      // It may be an earlier write of the same, whose answer was lost.
      await log.look(head.number)
      return
    }
    // A server that says that it is busy may have handed it on all the same: it keeps its number.
    this.busySinceMs ??= systemWorld.monotonicMs()
    if (systemWorld.monotonicMs() - this.busySinceMs > this.options.patienceMs) throw this.tooBusy(written)
    if (written !== "busy") await log.look(head.number)
    if (this.pending.size > 0) await pause(this.refusals++)
  }

  /** Nothing waits any more, and others keep a number for this process: if nothing comes within a round trip, they are told not to. */
  private async leave(log: Log): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = systemWorld.timer(Math.ceil(log.tripMs), resolve)
      this.wake = () => {
        timer.cancel()
        resolve()
      }
    })
    if (this.pending.size > 0) return
    const advice = this.turns.next({ end: log.replica.number, writtenAt: null, ...log.pace })
    this.turns.leave()
    // What becomes of it is of no interest: who stays silent is passed over.
    if (advice.kind === "write") await this.write(log, { number: advice.head.number }, []).catch(() => {})
  }

  private write(log: Log, head: Pick<RecordHead, "number" | "again" | "over" | "without">, pending: Iterable<Pending>) {
    const at = this.options.stamp()
    const lines: string[] = []
    let characters = 0
    for (const { id, op, askedAtMs, make } of pending) {
      const waitedMs = Math.max(0, this.options.world.monotonicMs() - askedAtMs)
      const line = JSON.stringify({ id, op, waitedMs, request: make(waitedMs) })
      if (lines.length > 0 && characters + line.length > mostCharacters) break
      lines.push(line)
      characters += line.length
      if (lines.length >= mostRequests) break
    }
    return log.write({ ...head, writer: this.writer, attempt: ++this.attempt, ...at }, lines)
  }

  private besideOlder(): SluiceError {
    return new SluiceError(
      "store_unfit",
      `${this.options.place}: expected nobody else to write records of an older layout, but an older Sluice does: stop all of its processes, then start this one`,
    )
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
