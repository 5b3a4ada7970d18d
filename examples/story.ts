// What the stories share and what is not about Sluice: which store, when everything has ended, and the table at the end. Whatever a story
// asserts is what the provider has counted or what the store says, never how long something took.

import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Queue, Worker } from "sluice"

/** The first argument, else SLUICE_STORE, else a SQLite file in a folder that is removed at the end. */
export function storeUrl(): string {
  const given = process.argv.slice(2).find((argument) => !argument.startsWith("-")) ?? process.env.SLUICE_STORE
  if (given) return given
  const folder = mkdtempSync(join(tmpdir(), "sluice-story-"))
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }))
  return `sqlite:${join(folder, "story.db")}`
}

/** A world of its own in the store, so that a second run does not find the tasks of the first. */
export function freshNamespace(story: string): string {
  return `${story}-${Date.now().toString(36)}-${process.pid}`
}

const longestMs = 90_000
const lookEveryMs = 50

/** Works until no task is waiting or running any more. Bounded: a story that hangs has failed. */
export async function workUntilDone(queue: Queue, workers: readonly Worker[]): Promise<void> {
  const stop = new AbortController()
  const tooLong = setTimeout(() => stop.abort(new Error("too long")), longestMs)
  const running = workers.map((worker) => worker.run({ signal: stop.signal }))
  while (!stop.signal.aborted) {
    const { pending, running } = await queue.counts()
    if (pending + running === 0) break
    await new Promise((later) => setTimeout(later, lookEveryMs))
  }
  clearTimeout(tooLong)
  const isDone = !stop.signal.aborted
  stop.abort()
  await Promise.all(running)
  if (!isDone)
    throw new Error(`expected the story to end within ${longestMs / 1_000} s, still there: ${JSON.stringify(await queue.counts())}`)
}

export interface Expected {
  readonly text: string
  holds(got: unknown): boolean
}

export const exactly = (value: unknown): Expected => ({ text: String(value), holds: (got) => Object.is(got, value) })
export const atMost = (most: number): Expected => ({ text: `at most ${most}`, holds: (got) => typeof got === "number" && got <= most })
export const atLeast = (least: number): Expected => ({ text: `at least ${least}`, holds: (got) => typeof got === "number" && got >= least })

export type Row = readonly [what: string, got: unknown, expected: Expected]

/** Prints what was expected and what came, and ends the process with 1 if the two differ anywhere. */
export function tell(title: string, rows: readonly Row[]): void {
  const lines = rows.map(([what, got, expected]) => [what, expected.text, String(got), expected.holds(got) ? "ok" : "NOT SO"])
  const table = [["", "expected", "seen", ""], ...lines]
  const widths = [0, 1, 2].map((column) => Math.max(...table.map((line) => line[column]?.length ?? 0)))
  console.log(`\n${title}`)
  for (const line of table) console.log(`  ${line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("   ")}`.trimEnd())
  if (!rows.every(([, got, expected]) => expected.holds(got))) process.exitCode = 1
}
