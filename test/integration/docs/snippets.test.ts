// The programs in the pages: every block that begins with an import compiles, against the declarations that are published; and those of the
// guides that need nothing else run.

import { equal, ok } from "node:assert/strict"
import { execFile } from "node:child_process"
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { before, describe, it } from "node:test"
import { promisify } from "node:util"
import { blocks } from "../../unit/docs/pages.ts"

// Below the package's own folder, so that "sluice" means this package.
const folder = resolve(".build", "snippets")
const programs = blocks("ts").filter(({ text }) => text.startsWith("import "))
const nameOf = (path: string, index: number) => `${path.replace(/\W/g, "-")}-${index}.ts`
const run = promisify(execFile)

/** What compiles on its own: settings of a careful user. */
const tsconfig = {
  compilerOptions: {
    ...{ target: "es2022", module: "nodenext", strict: true, noEmit: true, skipLibCheck: true, noUncheckedIndexedAccess: true },
    ...{ types: ["node"], allowImportingTsExtensions: true },
  },
  include: ["*.ts"],
}

describe("the programs in the pages", { timeout: 120_000 }, () => {
  before(() => {
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    for (const [i, { path, text }] of programs.entries()) writeFileSync(join(folder, nameOf(path, i)), text)
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(tsconfig))
  })

  it("compile", async () => {
    ok(programs.length >= 8, `expected to find them, found ${programs.length}`)
    const compiled = await run(process.execPath, ["node_modules/typescript/bin/tsc", "-p", folder]).catch(
      (error: { stdout: string }) => error,
    )
    equal(compiled.stdout, "")
  })

  for (const guide of ["testing", "expiry", "explain-and-forecast"]) {
    it(`run: ${guide}`, async () => {
      const index = programs.findIndex(({ path }) => path === `docs/guides/${guide}.md`)
      const file = join(folder, nameOf(`docs/guides/${guide}.md`, index))
      const { stdout } = await run(process.execPath, ["node_modules/jiti/lib/jiti-cli.mjs", file])
      ok(stdout.length > 0)
    })
  }
})
