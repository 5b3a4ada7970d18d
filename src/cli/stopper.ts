// How a worker on the command line is stopped: by signals, or by an error that no handler caught.
//
//   working ──first signal──▶ draining ──second──▶ running tasks are given back ──third──▶ abandoned: ended at once
//   working ──uncaught error──▶ draining, and the exit code is that of the error

import { constants } from "node:os"
import type { Worker } from "../worker/index.ts"
import type { Signal } from "./io.ts"
import type { Session } from "./session.ts"

export class Stopper {
  /** Resolves when somebody will not wait any longer, whatever is still under way. */
  readonly abandoned: Promise<void>
  private readonly session: Session
  private readonly letGo: readonly (() => void)[]
  private abandon: () => void = () => {}
  private worker: Worker | null = null
  private asked = 0
  private hasCrashed = false

  constructor(session: Session) {
    this.session = session
    this.abandoned = new Promise((resolve) => {
      this.abandon = resolve
    })
    this.letGo = [session.io.onSignal((signal) => this.signalled(signal)), session.io.onUncaught((error) => this.crashed(error))]
  }

  /** From now on this worker is stopped; what was asked before counts. */
  take(worker: Worker): void {
    this.worker = worker
    for (let i = 0; i < this.asked; i++) worker.stop()
  }

  /** Signals and errors end the process again. */
  release(): void {
    for (const letGo of this.letGo) letGo()
  }

  private ask(): void {
    this.asked++
    this.worker?.stop()
  }

  private signalled(signal: Signal): void {
    if (this.asked < 2) {
      this.ask()
      return
    }
    this.session.exitCode = 128 + constants.signals[signal]
    this.abandon()
  }

  /** What the error left behind is unknown, so nothing more is claimed; what runs beside it is not lost for it. */
  private crashed(error: unknown): void {
    this.session.fail(error)
    if (this.hasCrashed) return
    this.hasCrashed = true
    if (this.asked === 0) this.ask()
  }
}
