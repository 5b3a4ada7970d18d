// A store for as long as a property needs it.

import type { Store } from "../../src/store/contract.ts"
import type { OpenBacking } from "../../src/testing/conformance/index.ts"
import type { VirtualWorld } from "../../src/testing/virtual-world.ts"
import { openers } from "../conformance/openers.ts"
import type { Call } from "./script.ts"

const { memory: openMemory, ...others } = openers as Readonly<Record<string, OpenBacking>> & { readonly memory: OpenBacking }
export const memory = openMemory
export const otherStores: Readonly<Record<string, OpenBacking>> = others

export const everyStore: Readonly<Record<string, OpenBacking>> = { memory, ...others }

/** One connection to a store that nobody else has. */
export async function withOwn(world: VirtualWorld, openBacking: OpenBacking, use: (store: Store) => Promise<void>): Promise<void> {
  const backing = await openBacking()
  const store = await backing.open({ world })
  try {
    await use(store)
  } finally {
    await store.close()
    await backing.close()
  }
}

/** Calls take turns on two connections, so that nothing a connection remembers by itself goes unnoticed. */
export async function withStore(world: VirtualWorld, openBacking: OpenBacking, use: (call: Call) => Promise<void>): Promise<void> {
  const backing = await openBacking()
  const [one, two] = [await backing.open({ world }), await backing.open({ world })]
  let calls = 0
  try {
    await use((operation, request) => (calls++ % 2 === 0 ? one : two)[operation](request as never))
  } finally {
    await one.close()
    await two.close()
    await backing.close()
  }
}
