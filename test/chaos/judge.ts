// The live judge: reads what all processes write down while they do, and asks the history checker every so often. What it finds
// counts once it has stood for a while, because what explains it may be written later: by a process that was stopped, or that waits
// for its store. At rest everything counts.

import { closeSync, openSync, writeSync } from "node:fs"
import { join } from "node:path"
import {
  HistoryChecker,
  type HistoryEvent,
  type HistoryReport,
  historyLog,
  type Violation,
  type WriteFact,
} from "../../src/testing/index.ts"
import { Tail } from "./tail.ts"

/** How far what happens to a process may be from the store's time: signals and lines take a moment on a busy machine. */
export const toleranceMs = 250
const checkEveryMs = 5_000
const standsAfterMs = 15_000
/** A check costs as much as the history is long: no more than a tenth of the time goes into it. */
const timesItsCost = 10

export class Judge {
  /** For what the coordinator knows itself; written down like the rest, for whoever looks at it afterwards. */
  readonly write: WriteFact
  readonly tail: Tail
  /** The latest report. */
  report: HistoryReport | null = null
  private readonly file: number
  private readonly checker = new HistoryChecker({ toleranceMs })
  private readonly listeners: ((event: HistoryEvent) => void)[] = []
  private nextCheckAtMs = Date.now() + checkEveryMs
  /** What the last check has found, with the time when it was first found. */
  private suspects = new Map<string, number>()

  constructor(folder: string) {
    this.file = openSync(join(folder, "coordinator.jsonl"), "a", 0o600)
    this.write = historyLog(
      "coordinator",
      () => Date.now(),
      (event) => {
        // A look at everything is as large as the store, which is there to be looked at again.
        if (event.op !== "look") writeSync(this.file, `${JSON.stringify(event)}\n`)
        this.add(event)
      },
    )
    this.tail = new Tail((line) => this.add(JSON.parse(line) as HistoryEvent))
  }

  /** Also told of every event. */
  on(listener: (event: HistoryEvent) => void): void {
    this.listeners.push(listener)
  }

  /** Everything that has been written until now. */
  readAll(): void {
    while (this.tail.read());
  }

  /** Reads on, and looks when it is time. Answers with what is broken for sure. */
  look(): readonly Violation[] {
    this.tail.read()
    if (Date.now() < this.nextCheckAtMs) return []
    const startedAtMs = Date.now()
    const { violations } = this.check()
    const tookMs = Date.now() - startedAtMs
    this.nextCheckAtMs = Date.now() + Math.max(checkEveryMs, tookMs * timesItsCost)
    const before = this.suspects
    this.suspects = new Map(violations.map((violation) => [nameOf(violation), before.get(nameOf(violation)) ?? startedAtMs]))
    return violations.filter((violation) => startedAtMs - (this.suspects.get(nameOf(violation)) ?? startedAtMs) >= standsAfterMs)
  }

  check(): HistoryReport {
    this.report = this.checker.check()
    return this.report
  }

  close(): void {
    this.tail.close()
    closeSync(this.file)
  }

  private add(event: HistoryEvent): void {
    this.checker.add(event)
    for (const listener of this.listeners) listener(event)
  }
}

const nameOf = ({ kind, about }: Violation) => `${kind} ${about}`
