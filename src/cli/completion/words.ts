// What can be completed, taken from the tree of commands: no list of its own that could grow old.

import type { Argument, Command, Help, Option } from "commander"
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
  /** From the program on: "limits set". */
  readonly path: string
  readonly summary: string
  readonly options: readonly OptionWords[]
  readonly argumentChoices: readonly string[]
  readonly takesFile: boolean
  /** Of a command that only groups others. */
  readonly commands: readonly CommandWords[]
}

const fileArguments: ReadonlySet<string> = new Set(["module", "file"])

export interface Words {
  readonly options: readonly OptionWords[]
  readonly commands: readonly CommandWords[]
}

export function wordsOf(program: Command): Words {
  const help = program.createHelp()
  return { options: help.visibleOptions(program).map(optionWords), commands: commandsOf(program, help, "") }
}

function commandsOf(parent: Command, help: Help, above: string): CommandWords[] {
  const visible = help.visibleCommands(parent)
  const names = visible.map((command) => command.name()).filter((name) => name !== "help")
  // A group has a help command of its own; --help says the same.
  const listed = above === "" ? visible : visible.filter((command) => command.name() !== "help")
  return listed.map((command) => {
    const path = `${above}${command.name()}`
    return {
      name: command.name(),
      path,
      summary: help.subcommandDescription(command),
      options: help.visibleOptions(command).map(optionWords),
      argumentChoices: command.name() === "help" ? names : command.registeredArguments.flatMap(choicesOf),
      takesFile: command.registeredArguments.some((argument) => fileArguments.has(argument.name())),
      commands: commandsOf(command, help, `${path} `),
    }
  })
}

/** The commands that do something: those of groups instead of the groups. */
export function leavesOf(commands: readonly CommandWords[]): CommandWords[] {
  return commands.flatMap((command) => (command.commands.length > 0 ? leavesOf(command.commands) : [command]))
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
