// Help: every command has it, with examples whose options exist.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { leavesOf, wordsOf } from "../../../src/cli/completion/words.ts"
import { processIo } from "../../../src/cli/process-io.ts"
import { makeProgram } from "../../../src/cli/program.ts"
import { Session } from "../../../src/cli/session.ts"
import { CommandLine } from "./command-line.ts"

const words = wordsOf(makeProgram(new Session(processIo)))
const groups = words.commands.filter(({ commands }) => commands.length > 0)
const globals = words.options.flatMap((option) => option.flags)

describe("help", () => {
  for (const command of [...leavesOf(words.commands), ...groups].filter(({ name }) => name !== "help")) {
    it(`sluice ${command.path} --help shows its options, the global ones and examples`, async () => {
      const { stdout, stderr, exitCode } = await new CommandLine().sluice(...command.path.split(" "), "--help")
      assert.deepEqual([exitCode, stderr], [0, ""])
      assert.match(stdout, new RegExp(`^Usage: sluice ${command.path}`))
      const known = [...globals, ...command.options.flatMap((option) => option.flags)]
      for (const flag of known) assert.ok(stdout.includes(flag), flag)
      const examples = stdout.slice(stdout.indexOf("Examples:"))
      assert.match(examples, new RegExp(`sluice ${command.path}`))
      const own = examples.split("\n").flatMap((line) => new RegExp(`sluice ${command.path}\\b([^|]*)`).exec(line)?.[1] ?? [])
      for (const [flag] of own.join(" ").matchAll(/(?<=\s)--?[a-z][a-z-]*/g))
        assert.ok(known.includes(flag), `${flag} is an option of ${command.path}`)
    })
  }

  it("sluice --help lists every command, and help <command> is the same as --help", async () => {
    const line = new CommandLine()
    const { stdout, exitCode } = await line.sluice("--help")
    assert.equal(exitCode, 0)
    for (const { name, summary } of words.commands) assert.match(stdout, new RegExp(`^ {2}${name}\\b.*${summary}$`, "m"))
    assert.equal((await line.sluice("help", "submit")).stdout, (await line.sluice("submit", "--help")).stdout)
  })

  it("sluice --version prints the version", async () => {
    const { stdout, exitCode } = await new CommandLine().sluice("--version")
    assert.match(stdout, /^\d+\.\d+\.\d+\n$/)
    assert.equal(exitCode, 0)
  })
})
