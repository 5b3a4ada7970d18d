// The completion script for fish: one line for each word.

import type { CommandWords, OptionWords, Words } from "./words.ts"

export function fishScript({ options, commands }: Words): string {
  const lines = [
    "# fish completion for sluice. Load it with: sluice completion fish | source",
    "complete -c sluice -f",
    ...options.map((option) => `complete -c sluice${optionPart(option)}`),
    ...commands.map(({ name, summary }) => `complete -c sluice -n __fish_use_subcommand -a ${name} -d ${quoted(summary)}`),
  ]
  const known = new Set(options.flatMap((option) => option.flags))
  return `${[...lines, ...wordsBelow(commands, [], known)].join("\n")}\n`
}

function wordsBelow(commands: readonly CommandWords[], above: readonly string[], known: ReadonlySet<string>): string[] {
  const groups = commands.filter((command) => command.commands.length > 0)
  return commands.flatMap((command) => {
    // `sluice limits history` has seen "history" as well, and means another one.
    const others = groups.filter((group) => group.commands.some(({ name }) => name === command.name))
    const when = [...above, seen([command]), ...others.map((group) => `not ${seen([group])}`)]
    return [...wordsBehind(command, when, known), ...wordsBelow(command.commands, when, known)]
  })
}

function wordsBehind(command: CommandWords, conditions: readonly string[], known: ReadonlySet<string>): string[] {
  const when = (more: readonly string[] = []) => `-n '${[...conditions, ...more].join("; and ")}'`
  const own = command.options.filter((option) => !option.flags.some((flag) => known.has(flag)))
  const isFirst = `not ${seen(command.commands)}`
  return [
    ...own.map((option) => `complete -c sluice ${when()}${optionPart(option)}`),
    ...(command.takesFile ? [`complete -c sluice ${when()} -F`] : []),
    ...(command.argumentChoices.length > 0 ? [`complete -c sluice ${when()} -a ${quoted(command.argumentChoices.join(" "))}`] : []),
    ...command.commands.map(({ name, summary }) => `complete -c sluice ${when([isFirst])} -a ${name} -d ${quoted(summary)}`),
  ]
}

function seen(commands: readonly CommandWords[]): string {
  return `__fish_seen_subcommand_from ${commands.map(({ name }) => name).join(" ")}`
}

function optionPart({ flags, description, value, choices }: OptionWords): string {
  const named = flags.map((flag) => (flag.startsWith("--") ? ` -l ${flag.slice(2)}` : ` -s ${flag.slice(1)}`)).join("")
  const taken = value === null ? "" : choices.length > 0 ? ` -x -a ${quoted(choices.join(" "))}` : " -r"
  return `${named}${taken} -d ${quoted(description)}`
}

function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`
}
