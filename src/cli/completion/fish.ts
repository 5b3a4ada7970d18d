// The completion script for fish: one line for each word.

import type { OptionWords, Words } from "./words.ts"

export function fishScript({ options, commands }: Words): string {
  const lines = [
    "# fish completion for sluice. Load it with: sluice completion fish | source",
    "complete -c sluice -f",
    ...options.map((option) => `complete -c sluice${optionPart(option)}`),
    ...commands.map(({ name, summary }) => `complete -c sluice -n __fish_use_subcommand -a ${name} -d ${quoted(summary)}`),
  ]
  const known = new Set(options.flatMap((option) => option.flags))
  for (const command of commands) {
    const when = `-n '__fish_seen_subcommand_from ${command.name}'`
    const own = command.options.filter((option) => !option.flags.some((flag) => known.has(flag)))
    lines.push(...own.map((option) => `complete -c sluice ${when}${optionPart(option)}`))
    if (command.takesFile) lines.push(`complete -c sluice ${when} -F`)
    if (command.argumentChoices.length > 0) lines.push(`complete -c sluice ${when} -a ${quoted(command.argumentChoices.join(" "))}`)
  }
  return `${lines.join("\n")}\n`
}

function optionPart({ flags, description, value, choices }: OptionWords): string {
  const named = flags.map((flag) => (flag.startsWith("--") ? ` -l ${flag.slice(2)}` : ` -s ${flag.slice(1)}`)).join("")
  const taken = value === null ? "" : choices.length > 0 ? ` -x -a ${quoted(choices.join(" "))}` : " -r"
  return `${named}${taken} -d ${quoted(description)}`
}

function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`
}
