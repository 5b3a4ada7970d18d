// The completion script for bash. Where it knows nothing, bash completes files.

import type { CommandWords, OptionWords, Words } from "./words.ts"

export function bashScript({ options, commands }: Words): string {
  const every = withInner(commands)
  const groups = every.filter((command) => command.commands.length > 0)
  const all = [...options, ...every.flatMap((command) => command.options)]
  const withValue = all.filter((option) => option.value !== null)
  const withChoices = unique(withValue.filter((option) => option.choices.length > 0))
  const globalValues = flagsOf(options.filter((option) => option.value !== null))
  return `# bash completion for sluice. Load it with: source <(sluice completion bash)
_sluice() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" command="" words="" i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "\${COMP_WORDS[i]}" in
      ${globalValues.join("|")}) ((i++)) ;;
      -*) ;;
      *)
        command="\${command:+$command }\${COMP_WORDS[i]}"
        case "$command" in ${groups.map(({ path }) => `"${path}"`).join("|")}) ;; *) break ;; esac
        ;;
    esac
  done
  COMPREPLY=()
  case "$previous" in
${withChoices.map((option) => `    ${option.flags.join("|")}) COMPREPLY=($(compgen -W "${option.choices.join(" ")}" -- "$current")); return ;;`).join("\n")}
    ${flagsOf(withValue.filter((option) => option.choices.length === 0)).join("|")}) return ;;
  esac
  case "$command" in
    "") words="${[...commands.map((command) => command.name), ...flagsOf(options)].join(" ")}" ;;
${every.map((command) => `    "${command.path}") words="${[...argumentsOf(command), ...flagsOf([...command.options, ...options])].join(" ")}" ;;`).join("\n")}
  esac
  if [[ -n "$command" && "$current" != -* && "$words" == -* ]]; then return; fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _sluice sluice
`
}

function withInner(commands: readonly CommandWords[]): CommandWords[] {
  return commands.flatMap((command) => [command, ...withInner(command.commands)])
}

function argumentsOf({ commands, argumentChoices }: CommandWords): readonly string[] {
  return commands.length > 0 ? commands.map(({ name }) => name) : argumentChoices
}

function flagsOf(options: readonly OptionWords[]): string[] {
  return [...new Set(options.flatMap((option) => option.flags))]
}

function unique(options: readonly OptionWords[]): OptionWords[] {
  return [...new Map(options.map((option) => [option.flags.join(), option])).values()]
}
