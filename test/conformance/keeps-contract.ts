// Registers the conformance suite for one store: directly, and through text where its answers are made in this process.

import { type Backing, describeStore, type OpenBacking } from "../../src/testing/conformance/index.ts"
import { viaJson } from "../../src/testing/via-json.ts"
import { openers } from "./openers.ts"

/** Stores that hand out what they have made themselves. What others answer with has come over a line already. */
const inProcess = ["memory", "sqlite"]

function throughText(openBacking: OpenBacking): OpenBacking {
  return async (): Promise<Backing> => {
    const backing = await openBacking()
    return { open: async (options) => viaJson(await backing.open(options)), close: () => backing.close() }
  }
}

export function keepsContract(name: keyof typeof openers): void {
  const openBacking = openers[name] as OpenBacking
  describeStore(name, openBacking)
  if (inProcess.includes(name)) describeStore(`${name} via JSON`, throughText(openBacking))
}
