// How a command is defined: a name with its arguments, one line of help, examples, and mistakes in its usage told in one
// line. Every command goes through here, so all have the same help and the same manners.

import type { Command, CommanderError } from "commander"
import { cut, SluiceError } from "../errors/index.ts"

export interface Definition {
  /** With its arguments: "get <id>". */
  readonly usage: string
  readonly summary: string
  /** More than one line has room for; shown by `--help`. */
  readonly details?: string
  readonly examples: readonly string[]
}

export function define(program: Command, { usage, summary, details, examples }: Definition): Command {
  const command = program
    .command(usage)
    .summary(summary)
    .description(details === undefined ? `${summary}.` : `${summary}. ${details}`)
  exampled.set(command, examples)
  command.addHelpText("after", examplesText(examples))
  return withUsageMistakes(command)
}

const exampled = new WeakMap<Command, readonly string[]>()

export function examplesOf(command: Command): readonly string[] {
  return exampled.get(command) ?? []
}

export function examplesText(examples: readonly string[]): string {
  return `\nExamples:\n${examples.map((example) => `  $ ${example}`).join("\n")}`
}

/** What commander finds wrong, as the errors of this house: one line with what to do, and their exit code. */
export function withUsageMistakes(command: Command): Command {
  return command.exitOverride((error) => {
    throw error.exitCode === 0 || error.code === "commander.help" ? error : usageMistake(command, error)
  })
}

function usageMistake(command: Command, error: CommanderError): SluiceError {
  const path = pathOf(command)
  // A word that is so long is like none that is known: what is cut off is never a suggestion.
  const what = cut(error.message, 500)
    .replace(/^error: /, "")
    .replace(
      /\.?\n?\(Did you mean (one of )?(.*)\?\)$/s,
      (_match, _oneOf, near: string) => `; did you mean ${near.replaceAll(", ", " or ")}?`,
    )
    .replace(/(?<!\.)\.$/, "")
  const where = path === "" ? "" : `${path}: `
  const hint = what.endsWith("?") ? "" : `; see sluice ${path === "" ? "" : `${path} `}--help`
  return new SluiceError("invalid_option", `${where}${what}${hint}`)
}

/** From the program on: "limits set"; "" for the program itself. */
export function pathOf(command: Command): string {
  if (command.parent === null) return ""
  const above = pathOf(command.parent)
  return above === "" ? command.name() : `${above} ${command.name()}`
}
