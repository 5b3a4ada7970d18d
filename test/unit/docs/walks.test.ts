// The walks through a claim and through a settle name files and functions that there are.

import { deepEqual, ok } from "node:assert/strict"
import { existsSync, readFileSync } from "node:fs"
import { it } from "node:test"
import { pages } from "./pages.ts"

const named = /`(\w+)`\s+\(`(src\/[\w/.-]+)`\)/g

it("walks name functions that are in the files they name", () => {
  for (const path of ["docs/internals/walk-claim.md", "docs/internals/walk-settle.md"]) {
    const steps = [...readFileSync(path, "utf8").matchAll(named)]
    ok(steps.length >= 12, `${path}: expected to find them, found ${steps.length}`)
    const wrong = steps.filter(
      ([, name, file = ""]) => !existsSync(file) || !new RegExp(`\\b${name}(<[^>]*>)?\\(`).test(readFileSync(file, "utf8")),
    )
    deepEqual(
      wrong.map(([text]) => text.replace(/\s+/g, " ")),
      [],
    )
  }
})

it("pages name source files that there are", () => {
  const missing = [...pages()]
    .filter(([path]) => path !== "CHANGELOG.md" && path !== "bench/RESULTS.md")
    .flatMap(([path, page]) =>
      [...page.matchAll(/`(src\/[\w/-]+\.ts)`/g)].filter(([, file = ""]) => !existsSync(file)).map(([, file]) => `${path}: ${file}`),
    )
  deepEqual(missing, [])
})
