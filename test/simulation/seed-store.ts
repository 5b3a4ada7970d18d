// How a seed gets its store: made for it, and gone afterwards.

import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { OpenStore } from "../../src/store/index.ts"
import type * as Simulations from "../../src/testing/simulation/index.ts"

export const storeNames = ["memory", "sqlite"] as const
export type StoreName = (typeof storeNames)[number]

type Simulated = Simulations.Simulated
type Options = Omit<Simulations.SimulationOptions, "open">

/** Runs a seed with the compiled source that is asked for: that of this build, or a copy with a bug in it. */
export async function runnerOf(source: URL, store: StoreName): Promise<(options: Options) => Promise<Simulated>> {
  const { simulate }: typeof Simulations = await import(new URL("testing/simulation/index.js", source).href)
  const { open }: { open: OpenStore } = await import(new URL(`stores/${store}/index.js`, source).href)
  const run = (options: Options, url: string) => simulate({ ...options, open: (world) => open({ url, namespace: "default", world }) })
  if (store === "memory") return (options) => run(options, "memory:")
  return async (options) => {
    const folder = await mkdtemp(join(tmpdir(), "sluice-seed-"))
    try {
      // Nobody pulls the plug here: what a power loss does is a matter of SQLite.
      return await run(options, `sqlite:${join(folder, "x.db")}?durability=normal`)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }
}
