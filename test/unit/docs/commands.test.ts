// Every `sluice …` that a page shows in a shell block is a command that there is, with options that it has.

import { deepEqual, ok } from "node:assert/strict"
import { it } from "node:test"
import { leavesOf, wordsOf } from "../../../src/cli/completion/words.ts"
import { processIo } from "../../../src/cli/process-io.ts"
import { makeProgram } from "../../../src/cli/program.ts"
import { Session } from "../../../src/cli/session.ts"
import { blocks } from "./pages.ts"

const words = wordsOf(makeProgram(new Session(processIo)))
const commands = leavesOf(words.commands)
const globals = words.options.flatMap(({ flags }) => flags)

/** What is wrong with what stands behind "sluice", if anything. */
function problemOf(line: string): string | null {
  const typed = line.replace(/ #.*$/, "").replace(/'[^']*'|"[^"]*"/g, "_")
  const command = commands.find(({ path }) => typed === path || typed.startsWith(`${path} `))
  if (!command) return /^(-h|--help|-V|--version|help|<)/.test(typed) ? null : `no such command: sluice ${line}`
  const known = [...globals, ...command.options.flatMap(({ flags }) => flags)]
  const unknown = [...typed.matchAll(/(?<=\s)--?[a-z][\w-]*/gi)].map(([flag]) => flag).filter((flag) => !known.includes(flag))
  return unknown.length === 0 ? null : `no such option ${unknown.join(", ")}: sluice ${line}`
}

/** From a line of a shell: up to the next pipe or the end of a substitution. */
const typedIn = (text: string) =>
  [...text.replace(/\\\n/g, " ").matchAll(/(?:^|[|(;&]|npx|--silent|xargs -r) *sluice (?:-- )?([^\n|;()&>]*)/gm)].map(([, rest = ""]) =>
    rest.trim(),
  )

it("pages show commands and options that there are", () => {
  const shown = [...blocks("sh"), ...blocks("")].flatMap(({ path, text }) => typedIn(text).map((line) => ({ path, line })))
  ok(shown.length > 60, `expected to find them, found ${shown.length}`)
  deepEqual(
    shown.flatMap(({ path, line }) => {
      const problem = problemOf(line)
      return problem === null ? [] : [`${path}: ${problem}`]
    }),
    [],
  )
})

it("what is not there is found", () => {
  deepEqual(
    [problemOf("limits sett api --rate 1/1s"), problemOf("work x.ts --concurency 3"), problemOf("list --status failed --json")],
    ["no such command: sluice limits sett api --rate 1/1s", "no such option --concurency: sluice work x.ts --concurency 3", null],
  )
})
