// man/sluice.1 is what the tree of commands says, and goes out with the package.

import { deepEqual, equal, ok } from "node:assert/strict"
import { readFileSync } from "node:fs"
import { it } from "node:test"
import { leavesOf, wordsOf } from "../../../src/cli/completion/words.ts"
import { processIo } from "../../../src/cli/process-io.ts"
import { makeProgram } from "../../../src/cli/program.ts"
import { manPage } from "../../../src/cli/reference/man.ts"
import { Session } from "../../../src/cli/session.ts"

const page = readFileSync("man/sluice.1", "utf8")

it("the man page is up to date", () => {
  equal(page, manPage(), "write it with: npm run build && npm run --silent reference:man > man/sluice.1")
})

it("the man page has every command and every option", () => {
  const words = wordsOf(makeProgram(new Session(processIo)))
  const plain = page.replaceAll("\\-", "-")
  for (const { path, options } of leavesOf(words.commands).filter(({ name }) => name !== "help")) {
    const [, section = ""] = plain.split(`.SS "sluice ${path}`)
    const own = section.slice(0, section.indexOf("\n.S"))
    for (const { flags } of options.filter((option) => !option.flags.includes("--help")))
      ok(own.includes(`\\fB${flags.join(", ")}`), `${path}: ${flags.join(", ")}`)
  }
})

it("no line of the man page begins with a request that it did not mean", () => {
  const requests = new Set([...page.matchAll(/^\.(\S+)/gm)].map(([, name]) => name))
  deepEqual([...requests].sort(), ["PP", "RE", "RS", "SH", "SS", "TH", "TP", '\\"', "fi", "nf"].sort())
})

it("the package has the man page", () => {
  const { man, files } = JSON.parse(readFileSync("package.json", "utf8")) as { man: string; files: string[] }
  deepEqual([man, files.includes("man")], ["./man/sluice.1", true])
})
