// docs/reference/http.md is what the table of routes says.

import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { it } from "node:test"
import { referencePage } from "../../src/http/reference.ts"

it("the reference of the HTTP API is up to date", () => {
  // Compiled tests run in .build/test/http.
  const page = readFileSync(new URL("../../../docs/reference/http.md", import.meta.url), "utf8")
  assert.equal(page, referencePage(), "write it with: npm run build && npm run --silent reference:http > docs/reference/http.md")
})
