// What `npm run chaos` takes, and what it says of what it does not.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { readArguments } from "./arguments.ts"

const options = (...words: string[]) => {
  const read = readArguments(words)
  return "options" in read ? read.options : assert.fail(read.text)
}
const refusal = (...words: string[]) => {
  const read = readArguments(words)
  return "text" in read ? read : assert.fail("expected a refusal")
}

describe("the arguments of chaos", () => {
  it("follow from the number of tasks where they are not given", () => {
    const { kills, pauses, workers, hours } = options("sqlite", "--tasks", "100000")
    assert.deepEqual({ kills, pauses, workers, hours }, { kills: 1_000, pauses: 200, workers: 4, hours: null })
    assert.equal(options("sqlite", "--kills", "50").pauses, 10)
    assert.equal(options("sqlite", "--hours", "0.5").hours, 0.5)
  })

  it("of a server that may lose something ask how much that is", () => {
    assert.equal(options("redis").only, null)
    assert.equal(options("redis", "--appendfsync", "everysec").only, "losses")
    assert.equal(options("redis", "--appendonly", "no").only, "losses")
  })

  it("keep the seed that they are given, and make one where there is none", () => {
    assert.equal(options("sqlite", "--seed", "7").seed, 7)
    assert.ok(options("sqlite").seed > 0)
  })

  for (const [words, said] of [
    [[], /missing required argument 'store'/],
    [["oracle"], /Expected one of: sqlite, redis, postgres/],
    [["sqlite", "--tasks", "many"], /'--tasks <n>' argument 'many' is invalid. Expected a whole number from 1/],
    [["sqlite", "--workers", "1"], /Expected a whole number from 2/],
    [["sqlite", "--hours", "-1"], /Expected a number of hours/],
    [["sqlite", "--only", "rain"], /Expected storm, slots or losses/],
    [["redis", "--appendonly", "maybe"], /Expected yes or no/],
    [["redis", "--appendfsync", "never"], /Expected one of: always, everysec, no/],
    [["sqlite", "--kils", "3"], /unknown option '--kils'/],
    [["sqlite", "memory"], /too many arguments/],
  ] as const) {
    it(`are refused: ${words.join(" ") || "nothing"}`, () => {
      const { text, exitCode } = refusal(...words)
      assert.match(text, said)
      assert.equal(exitCode, 2)
    })
  }

  it("are explained by --help", () => {
    const { text, exitCode } = refusal("--help")
    assert.match(text, /Usage: npm run chaos -- .*<store>/)
    assert.equal(exitCode, 0)
  })
})
