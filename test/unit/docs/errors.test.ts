// docs/reference/errors.md and the table of errors say the same, and of every code.

import { deepEqual, ok } from "node:assert/strict"
import { readFileSync } from "node:fs"
import { it } from "node:test"
import { errorTable } from "../../../src/errors/index.ts"

const rows = [...readFileSync("docs/reference/errors.md", "utf8").matchAll(/^\| `(\w+)` \| (\d+) \| (\d+) \| (yes|no) \| (.+) \|$/gm)]

it("the reference of errors names every code with its status, its exit code and whether to try again", () => {
  const told = rows.map(([, code, httpStatus, exitCode, again]) => [code, Number(httpStatus), Number(exitCode), again === "yes"])
  const true_ = Object.entries(errorTable).map(([code, { httpStatus, exitCode, retryable }]) => [code, httpStatus, exitCode, retryable])
  deepEqual(told.sort(), true_.sort())
  for (const [, code, , , , meaning = ""] of rows) ok(meaning.length > 10, `${code}: expected what it means`)
})
