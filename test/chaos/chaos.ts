// The whole of it: a storm, or one after the other, and a slot run, each on a store of its own in a folder of its own. A folder is
// kept if something was broken in it.

import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Violation } from "../../src/testing/index.ts"
import type { ChaosOptions } from "./arguments.ts"
import { type LossResult, losses } from "./losses.ts"
import { type SlotRunResult, slotRun } from "./slot-run.ts"
import { type ChaosStore, chaosStores } from "./stores/index.ts"
import { type StormResult, storm } from "./storm.ts"

export interface ChaosResult {
  readonly options: ChaosOptions
  readonly durationMs: number
  readonly storms: readonly StormResult[]
  readonly slots: SlotRunResult | null
  readonly losses: LossResult | null
  /** Where what was broken can be looked at. */
  readonly kept: readonly string[]
}

/** The exit code of a run that somebody has ended: nothing is known to be broken, so nothing is kept. */
export const interrupted = 130

type Judged = { readonly report: { readonly violations: readonly Violation[] } }

export async function chaos(options: ChaosOptions, tell: (line: string) => void): Promise<ChaosResult> {
  const startedAtMs = Date.now()
  const endsAtMs = startedAtMs + (options.hours ?? 0) * 3_600_000
  const kept: string[] = []
  const storms: StormResult[] = []
  const stormy = options.only === null || options.only === "storm"
  for (let round = 0; stormy && kept.length === 0 && (round === 0 || Date.now() < endsAtMs); round++) {
    const seed = options.seed + round
    tell(`storm ${round + 1}, seed ${seed}`)
    storms.push(
      await inFolder(options, kept, (store, folder) => storm({ ...options, ...serverOnly(options, store), seed }, store, folder, tell)),
    )
  }
  let slots: SlotRunResult | null = null
  if ((options.only === null || options.only === "slots") && kept.length === 0) {
    tell("slot run")
    slots = await inFolder(options, kept, (store, folder) => slotRun({ seed: options.seed, ...slotShape(options) }, store, folder))
  }
  const lost = options.only === "losses" ? await inFolder(options, kept, (store) => losses(options, store, tell)) : null
  return { options, durationMs: Date.now() - startedAtMs, storms, slots, losses: lost, kept }
}

/** Where there is no server, there is none to restart. */
function serverOnly({ restarts, cuts, partitions }: ChaosOptions, { restart, lines }: ChaosStore) {
  return { restarts: restart === null ? 0 : restarts, ...(lines === null ? { cuts: 0, partitions: 0 } : { cuts, partitions }) }
}

/** A run of 100,000 tasks has stalls of a minute; a smaller one shorter ones, but always of several leases. */
function slotShape({ tasks }: ChaosOptions) {
  const scale = Math.min(1, tasks / 100_000)
  return { windowMs: Math.max(48_000, 200_000 * scale), stalls: scale < 1 ? 1 : 3, stallMs: Math.max(9_000, 60_000 * scale) }
}

async function inFolder<T extends Judged>(
  options: ChaosOptions,
  kept: string[],
  run: (store: ChaosStore, folder: string) => Promise<T>,
): Promise<T> {
  const start = chaosStores[options.store]
  if (!start) throw new Error(`chaos: expected one of ${Object.keys(chaosStores).join(", ")}, got "${options.store}"`)
  const folder = mkdtempSync(join(tmpdir(), "sluice-chaos-"))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  const exits = (code: number) => code === interrupted && remove()
  process.on("exit", exits)
  let isBroken = true
  try {
    const store = await start(folder, options)
    try {
      const result = await run(store, folder)
      isBroken = result.report.violations.length > 0
      return result
    } finally {
      await store.stop()
    }
  } catch (error) {
    throw new Error(`${(error as Error).message}\nwhat was written down is in ${folder}`, { cause: error })
  } finally {
    process.off("exit", exits)
    if (isBroken) kept.push(folder)
    else remove()
  }
}
