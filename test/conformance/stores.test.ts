// Every store under src/stores keeps the contract; those in this process directly and through text. A store without an entry among the
// openers fails: no store goes untested by being forgotten.

import assert from "node:assert/strict"
import { existsSync, readdirSync } from "node:fs"
import { it } from "node:test"
import { type Backing, describeStore, type OpenBacking } from "../../src/testing/conformance/index.ts"
import { viaJson } from "../../src/testing/via-json.ts"
import { openers } from "./openers.ts"

const folders = readdirSync("src/stores", { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && existsSync(`src/stores/${entry.name}/index.ts`))
  .map(({ name }) => name)

it("every store is tested", () => {
  assert.deepEqual(
    Object.keys(openers).sort(),
    folders.sort(),
    "expected test/conformance/openers.ts to have one entry per store in src/stores",
  )
})

/** Stores that hand out what they have made themselves. What others answer with has come over a line already. */
const inProcess = ["memory", "sqlite"]

function throughText(openBacking: OpenBacking): OpenBacking {
  return async (): Promise<Backing> => {
    const backing = await openBacking()
    return { open: async (options) => viaJson(await backing.open(options)), close: () => backing.close() }
  }
}

for (const name of folders) {
  const openBacking = openers[name]
  if (!openBacking) continue
  describeStore(name, openBacking)
  if (inProcess.includes(name)) describeStore(`${name} via JSON`, throughText(openBacking))
}
