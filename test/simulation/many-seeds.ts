// Many seeds, shared out to threads. What each thread has run is added up; seeds that broke a promise are kept.

import { availableParallelism } from "node:os"
import { Worker } from "node:worker_threads"
import type { Totals } from "../../src/testing/index.ts"
import type { StoreName } from "./seed-store.ts"

export interface SeedResult {
  readonly seed: number
  readonly violations: readonly { readonly kind: string; readonly message: string }[]
  readonly totals: Totals | null
}

export interface ManySeeds {
  readonly from: number
  /** Infinity where only the time ends it. */
  readonly count: number
  readonly threads?: number
  readonly store?: StoreName
  /** The compiled source; that of this build if not given. */
  readonly source?: URL
  /** Whether to go on after a seed that broke a promise. */
  readonly stopsAtFirst?: boolean
  /** No seed is begun once it says so. */
  readonly isOver?: () => boolean
  readonly onResult?: (result: SeedResult, ran: number) => void
}

export interface SeedsRun {
  readonly ran: number
  readonly failures: readonly SeedResult[]
  readonly totals: Readonly<Record<string, number>>
}

/** The compiled source of this build. */
export const ownSource = new URL("../../src/", import.meta.url)

export async function runSeeds(asked: ManySeeds): Promise<SeedsRun> {
  const { source = ownSource, store = "memory", threads = availableParallelism() } = asked
  const failures: SeedResult[] = []
  const totals: Record<string, number> = {}
  let next = asked.from
  let ran = 0
  const isOver = () =>
    next >= asked.from + asked.count || (asked.stopsAtFirst === true && failures.length > 0) || (asked.isOver?.() ?? false)
  const take = (result: SeedResult) => {
    ran++
    if (result.violations.length > 0) failures.push(result)
    if (result.totals) addUp(totals, result.totals)
    asked.onResult?.(result, ran)
  }
  const work = async () => {
    const thread = new Worker(new URL("./seed-thread.js", import.meta.url), { workerData: { source: source.href, store } })
    try {
      while (!isOver()) take(await answerOf(thread, next++))
    } finally {
      await thread.terminate()
    }
  }
  await Promise.all(Array.from({ length: Math.min(threads, asked.count) }, work))
  return { ran, failures: failures.sort((a, b) => a.seed - b.seed), totals }
}

function answerOf(thread: Worker, seed: number): Promise<SeedResult> {
  return new Promise((resolve, reject) => {
    const failed = (error: Error) => reject(new Error(`seed ${seed}: ${error.stack}`))
    thread.once("error", failed)
    thread.once("message", (result: SeedResult) => {
      thread.off("error", failed)
      resolve(result)
    })
    thread.postMessage(seed)
  })
}

function addUp(sums: Record<string, number>, totals: Totals): void {
  const { faults, ...others } = totals
  for (const [name, count] of Object.entries({ ...others, ...faults })) sums[name] = (sums[name] ?? 0) + count
}

/** What to type to see a seed again. */
function replayCommand(seed: number, store: StoreName): string {
  return `npm run simulate -- --seed ${seed}${store === "memory" ? "" : ` --store ${store}`}`
}

export function describeFailure({ seed, violations }: SeedResult, store: StoreName): string {
  const some = violations.slice(0, 5).map(({ kind, message }) => `  ${kind}: ${message}`)
  const promises = violations.length === 1 ? "a promise" : `${violations.length} promises`
  return [`seed ${seed} broke ${promises}; replay it with: ${replayCommand(seed, store)}`, ...some].join("\n")
}
