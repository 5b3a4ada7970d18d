// docs/reference/api.md is what the published declarations say, and has all of what the package exports.

import { deepEqual, equal, ok } from "node:assert/strict"
import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import { it } from "node:test"
import { pathToFileURL } from "node:url"

const { apiPage }: { apiPage: () => string } = await import(pathToFileURL(resolve("scripts/reference/api.mjs")).href)
const page = readFileSync("docs/reference/api.md", "utf8")

it("the reference of the TypeScript API is up to date", () => {
  equal(page, apiPage(), "write it with: npm run build && npm run reference:api")
})

it("the reference of the TypeScript API has every name that src/index.ts exports", () => {
  const exported = [...readFileSync("src/index.ts", "utf8").matchAll(/export (?:type )?\{([^}]*)\}/g)]
    .flatMap(([, names = ""]) => names.split(","))
    .map((name) => name.trim().replace(/^type /, ""))
    .filter((name) => name !== "")
  ok(exported.length > 90)
  const told = [...page.matchAll(/^### (\w+)$/gm)].map(([, name]) => name)
  deepEqual(
    exported.filter((name) => !told.includes(name)),
    [],
  )
})

it("the declarations in it are whole, and nothing private", () => {
  for (const [, code = ""] of page.matchAll(/```typescript\n([\s\S]*?)```/g)) {
    const bare = code.replace(/\/\*[\s\S]*?\*\//g, "").replace(/"[^"\n]*"/g, "")
    equal(bare.match(/[{([]/g)?.length ?? 0, bare.match(/[})\]]/g)?.length ?? 0, code)
    ok(/[;}]\n$/.test(code) && !/^ *private /m.test(code), code)
  }
})
