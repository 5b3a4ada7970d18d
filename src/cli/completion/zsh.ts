// The completion script for zsh, in terms of its _arguments.

import type { CommandWords, OptionWords, Words } from "./words.ts"

export function zshScript({ options, commands }: Words): string {
  return `#compdef sluice
# zsh completion for sluice. Load it with: source <(sluice completion zsh)
_sluice() {
  local context state state_descr line ret=1
  typeset -A opt_args
  local -a commands globals
  globals=(
${options.map((option) => `    ${spec(option)}`).join("\n")}
  )
${choice(commands, options, "  ")}
  return ret
}
if [ "$funcstack[1]" = "_sluice" ]; then _sluice "$@"; else compdef _sluice sluice; fi
`
}

/** One word out of these commands, then what stands behind it. After `*::` zsh makes the chosen word the first. */
function choice(commands: readonly CommandWords[], globals: readonly OptionWords[], indent: string): string {
  return `commands=(
${commands.map((command) => `  ${quoted(`${command.name}:${command.summary}`)}`).join("\n")}
)
state=
_arguments -C $globals '1: :->command' '*:: :->rest' && ret=0
case $state in
  command) _describe -t commands 'sluice command' commands && ret=0 ;;
  rest)
    case $words[1] in
${commands.map((command) => `      ${command.name})\n${behind(command, globals, "        ")}\n        ;;`).join("\n")}
    esac
    ;;
esac`.replace(/^(?=.)/gm, indent)
}

function behind(command: CommandWords, globals: readonly OptionWords[], indent: string): string {
  if (command.commands.length > 0) return choice(command.commands, globals, indent)
  const specs = [...command.options.filter(isOwn(globals)).map(spec), argument(command)]
  return `${indent}_arguments $globals ${specs.join(` \\\n${indent}  `)} && ret=0`
}

/** Every command has --help; _arguments takes each option once. */
function isOwn(globals: readonly OptionWords[]): (option: OptionWords) => boolean {
  const known = new Set(globals.flatMap((option) => option.flags))
  return (option) => !option.flags.some((flag) => known.has(flag))
}

function argument({ argumentChoices, takesFile }: CommandWords): string {
  if (takesFile) return "'1:file:_files'"
  return argumentChoices.length > 0 ? quoted(`1: :(${argumentChoices.join(" ")})`) : "'*: :'"
}

function spec({ flags, description, value, choices, mayRepeat }: OptionWords): string {
  const action = value === null ? "" : `:${escaped(value)}:${choices.length > 0 ? `(${choices.join(" ")})` : ""}`
  const rest = quoted(`[${escaped(description)}]${action}`)
  // Of an option with two names, one excludes the other.
  if (flags.length > 1) return `'(${flags.join(" ")})'{${flags.join(",")}}${rest}`
  return `${mayRepeat ? "'*'" : ""}${flags[0]}${rest}`
}

function escaped(text: string): string {
  return text.replace(/[[\]:\\]/g, "\\$&")
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
