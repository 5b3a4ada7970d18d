// docs/reference/cli.md and the command line say the same: every command, every option, every exit code, and no others.

import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { describe, it } from "node:test"
import { leavesOf, wordsOf } from "../../../src/cli/completion/words.ts"
import { processIo } from "../../../src/cli/process-io.ts"
import { makeProgram } from "../../../src/cli/program.ts"
import { Session } from "../../../src/cli/session.ts"
import { errorTable } from "../../../src/errors/index.ts"

// Compiled tests run in .build/test/unit/cli.
const page = readFileSync(new URL("../../../../docs/reference/cli.md", import.meta.url), "utf8")
const words = wordsOf(makeProgram(new Session(processIo)))
const commands = leavesOf(words.commands).filter(({ name }) => name !== "help")
const sections = new Map(page.split(/^## /m).map((section) => [section.slice(0, section.indexOf("\n")), section]))

const optionRows = (section: string) => [...section.matchAll(/^\| `(-[^`]*)`/gm)].map((match) => match[1]?.replace(/ <.*$/, ""))

describe("the reference of the command line", () => {
  it("has a section for every command and for nothing that is none", () => {
    const named = [...sections.keys()].filter((name) => name.startsWith("sluice ")).map((name) => name.slice("sluice ".length))
    assert.deepEqual(named.sort(), commands.map(({ path }) => path).sort())
  })

  for (const command of commands) {
    it(`sluice ${command.path}: its options, and an example`, () => {
      const section = sections.get(`sluice ${command.path}`) ?? ""
      const own = command.options.map((option) => option.flags.join(", ")).filter((flags) => flags !== "-h, --help")
      assert.deepEqual(optionRows(section).sort(), own.sort())
      assert.match(section, new RegExp(`\`\`\`sh\n[^\`]*sluice ${command.path}`))
    })
  }

  it("names the global options", () => {
    const section = sections.get("Global options") ?? ""
    assert.deepEqual(optionRows(section).sort(), words.options.map((option) => option.flags.join(", ")).sort())
  })

  it("names the exit code of every error", () => {
    const section = sections.get("Exit codes") ?? ""
    for (const [code, { exitCode }] of Object.entries(errorTable)) {
      // What a handler throws reaches a worker, not the command line.
      if (exitCode === 1) continue
      assert.match(section, new RegExp(`^\\| ${exitCode} +\\|.*\`${code}\``, "m"))
    }
  })
})
