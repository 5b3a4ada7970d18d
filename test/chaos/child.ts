// What every child process of a run has in common: its settings, its record, its way to the store, and its end.
//
// Files that children load take what they need from its own file: the whole of `sluice/testing` would double what a start costs,
// and a run starts more than a thousand of them.

import { setTimeout as sleep } from "node:timers/promises"
import { connect, type Queue } from "../../src/index.ts"
import { Queue as QueueOver } from "../../src/queue/index.ts"
import { Dice } from "../../src/testing/dice.ts"
import type { Store, WriteFact } from "../../src/testing/index.ts"
import { recordedStore } from "../../src/testing/recorded-store.ts"
import { BadLine, type LineFaults } from "./bad-line.ts"
import { eventFile } from "./event-file.ts"
import { watchStalls } from "./stalls.ts"

const connectAgainMs = 50

export interface ChildSettings {
  readonly proc: string
  readonly url: string
  readonly eventFile: string
  readonly seed: number
  readonly line: LineFaults
}

/** What a child is told. */
export type ToChild =
  /** Faults are over. */
  | { readonly kind: "calm" }
  /** Come to an end by yourself. */
  | { readonly kind: "stop" }
  | Batch

/** Tasks of the plan to submit: from the first number on, so many; of those only what has a key, where it was sent before. */
export interface Batch {
  readonly kind: "batch"
  readonly from: number
  readonly count: number
  readonly isRepeat: boolean
}

/** What a child says. */
export type FromChild = { readonly kind: "ready" } | { readonly kind: "submitted"; readonly from: number; readonly isRepeat: boolean }

export function readSettings<Settings extends ChildSettings>(): Settings {
  return JSON.parse(process.argv[2] ?? "{}") as Settings
}

export interface Child {
  readonly queue: Queue
  readonly write: WriteFact
  readonly say: (message: FromChild) => void
}

/** `through` is put around the recorded store: what it asks again is recorded again. */
export async function startChild(
  settings: ChildSettings,
  hear: (message: ToChild) => void,
  through: (store: Store) => Store = (store) => store,
): Promise<Child> {
  // Without the one who reads the record nobody needs to go on.
  process.on("disconnect", () => process.exit(3))
  const { proc, url, line, seed } = settings
  const write = eventFile(settings.eventFile, proc)
  watchStalls(proc, write, line.tooSlowMs)
  const badLine = new BadLine(line, proc, new Dice(seed), write)
  process.on("message", (message: ToChild) => (message.kind === "calm" ? badLine.calm() : hear(message)))
  const { store, world, maxInputBytes } = await connected(url)
  const queue = new QueueOver(through(recordedStore(badLine.around(store), write)), world, maxInputBytes)
  return { queue, write, say: (message) => void process.send?.(message) }
}

/** A process that starts while the store is away is started again, as a supervisor would do. */
async function connected(url: string): Promise<Queue> {
  for (;;) {
    try {
      return await connect(url)
    } catch (error) {
      if ((error as { retryable?: boolean }).retryable !== true) throw error
      await sleep(connectAgainMs)
    }
  }
}
