// Every store under src/stores keeps the contract, each in a file of its own under stores/, so that they share the machine. A store without
// a file or without an entry among the openers fails: no store goes untested by being forgotten.

import assert from "node:assert/strict"
import { existsSync, readdirSync } from "node:fs"
import { it } from "node:test"
import { openers } from "./openers.ts"

const folders = readdirSync("src/stores", { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && existsSync(`src/stores/${entry.name}/index.ts`))
  .map(({ name }) => name)
  .sort()

it("every store is tested", () => {
  assert.deepEqual(Object.keys(openers).sort(), folders, "expected test/conformance/openers.ts to have one entry per store in src/stores")
  const files = readdirSync("test/conformance/stores").map((file) => file.replace(".test.ts", ""))
  assert.deepEqual(files.sort(), folders, "expected test/conformance/stores to have one file per store in src/stores")
})
