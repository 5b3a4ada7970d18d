// The completion script for bash. Where it knows nothing, bash completes files.

import type { OptionWords, Words } from "./words.ts"

export function bashScript({ options, commands }: Words): string {
  const all = [...options, ...commands.flatMap((command) => command.options)]
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
      *) command="\${COMP_WORDS[i]}"; break ;;
    esac
  done
  COMPREPLY=()
  case "$previous" in
${withChoices.map((option) => `    ${option.flags.join("|")}) COMPREPLY=($(compgen -W "${option.choices.join(" ")}" -- "$current")); return ;;`).join("\n")}
    ${flagsOf(withValue.filter((option) => option.choices.length === 0)).join("|")}) return ;;
  esac
  case "$command" in
    "") words="${[...commands.map((command) => command.name), ...flagsOf(options)].join(" ")}" ;;
${commands.map((command) => `    ${command.name}) words="${[...command.argumentChoices, ...flagsOf([...command.options, ...options])].join(" ")}" ;;`).join("\n")}
  esac
  if [[ -n "$command" && "$current" != -* && "$words" == -* ]]; then return; fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _sluice sluice
`
}

function flagsOf(options: readonly OptionWords[]): string[] {
  return [...new Set(options.flatMap((option) => option.flags))]
}

function unique(options: readonly OptionWords[]): OptionWords[] {
  return [...new Map(options.map((option) => [option.flags.join(), option])).values()]
}
