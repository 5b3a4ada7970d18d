// What can be completed, taken from the tree of commands: no list of its own that could grow old.

import type { Argument, Command, Option } from "commander"
import { collect } from "../flags.ts"

export interface OptionWords {
  /** "-t" and "--type", or the long one alone. */
  readonly flags: readonly string[]
  readonly description: string
  /** The name of its value; null for a switch. */
  readonly value: string | null
  readonly choices: readonly string[]
  readonly mayRepeat: boolean
}

export interface CommandWords {
  readonly name: string
  readonly summary: string
  readonly options: readonly OptionWords[]
  readonly argumentChoices: readonly string[]
  readonly takesFile: boolean
}

export interface Words {
  readonly options: readonly OptionWords[]
  readonly commands: readonly CommandWords[]
}

export function wordsOf(program: Command): Words {
  const help = program.createHelp()
  const commands = help.visibleCommands(program)
  const names = commands.map((command) => command.name()).filter((name) => name !== "help")
  return {
    options: help.visibleOptions(program).map(optionWords),
    commands: commands.map((command) => ({
      name: command.name(),
      summary: help.subcommandDescription(command),
      options: help.visibleOptions(command).map(optionWords),
      argumentChoices: command.name() === "help" ? names : command.registeredArguments.flatMap(choicesOf),
      takesFile: command.registeredArguments.some((argument) => argument.name() === "module"),
    })),
  }
}

function optionWords(option: Option): OptionWords {
  return {
    flags: [option.short, option.long].filter((flag) => typeof flag === "string"),
    description: option.description,
    value: option.required || option.optional ? (/[<[](.+)[>\]]/.exec(option.flags)?.[1] ?? "value") : null,
    choices: option.argChoices ?? [],
    mayRepeat: option.parseArg === collect,
  }
}

function choicesOf(argument: Argument): readonly string[] {
  return argument.argChoices ?? []
}
