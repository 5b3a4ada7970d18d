// The man page, from the tree of commands and the tables of settings and errors: no text of its own that could grow old.

import type { Command, Option } from "commander"
import { errorTable } from "../../errors/index.ts"
import { fileNames } from "../config/file.ts"
import { otherVariables, settings } from "../config/settings.ts"
import { examplesOf, pathOf } from "../define.ts"
import { processIo } from "../process-io.ts"
import { makeProgram } from "../program.ts"
import { Session } from "../session.ts"

export function manPage(): string {
  const program = makeProgram(new Session(processIo))
  const help = program.createHelp()
  const leaves = leavesBelow(program)
  const lines = [
    '.\\" Made by: npm run build && npm run --silent reference:man > man/sluice.1',
    '.TH SLUICE 1 "" "Sluice" "User Commands"',
    ...section("NAME", "sluice \\- a durable task queue in which rate limits are first\\-class"),
    ...section("SYNOPSIS", `${bold("sluice")} ${escaped("<command> [options]")}`),
    ...section("DESCRIPTION", escaped(program.description())),
    ...section("GLOBAL OPTIONS", ...help.visibleOptions(program).flatMap(optionLines)),
    ...section("COMMANDS", ...leaves.flatMap((command) => commandLines(command, help.visibleOptions(command)))),
    ...section("EXIT STATUS", ...exitLines()),
    ...section(
      "ENVIRONMENT",
      escaped("A variable goes before the same setting in a configuration file, and an option before both."),
      ...variableLines(),
    ),
    ...section(
      "FILES",
      ...tagged(".env", "Variables of the environment, of the current folder."),
      ...tagged(fileNames.join(", "), "Settings, of the current folder."),
    ),
    ...section(
      "SEE ALSO",
      escaped("sluice <command> --help; docs/reference/cli.md and docs/reference/configuration.md of the package's repository."),
    ),
  ]
  return `${lines.join("\n")}\n`
}

/** The commands that do something, in the order of help. */
function leavesBelow(command: Command): Command[] {
  const inner = command.commands.filter((one) => one.name() !== "help")
  return inner.length === 0 ? [command] : inner.flatMap(leavesBelow)
}

function commandLines(command: Command, options: readonly Option[]): string[] {
  const usage = command.registeredArguments.map((argument) => (argument.required ? `<${argument.name()}>` : `[${argument.name()}]`))
  const own = options.filter(({ long }) => long !== "--help")
  const examples = examplesOf(command)
  return [
    `.SS ${quoted(["sluice", pathOf(command), ...usage].join(" "))}`,
    escaped(command.description()),
    ...own.flatMap(optionLines),
    ...(examples.length === 0 ? [] : [".PP", ".nf", ".RS 4", ...examples.map((example) => escaped(`$ ${example}`)), ".RE", ".fi"]),
  ]
}

function optionLines({ flags, description }: Option): string[] {
  return tagged(flags, description)
}

function exitLines(): string[] {
  const codes = new Map<number, string[]>([[0, ["all is well"]]])
  for (const [code, { exitCode }] of Object.entries(errorTable)) codes.set(exitCode, [...(codes.get(exitCode) ?? []), code])
  return [...codes].sort(([a], [b]) => a - b).flatMap(([exitCode, words]) => tagged(String(exitCode), words.join(", ")))
}

function variableLines(): string[] {
  const ofSettings = settings.flatMap(({ key, variable, default: usual }) =>
    tagged(variable, `${key}${usual === null ? "" : ` (${usual})`}`),
  )
  return [
    ...ofSettings,
    ...tagged(
      [...otherVariables, "NO_COLOR"].join(", "),
      "Without a setting: tokens, the configuration file, stacks of errors, no colours.",
    ),
  ]
}

function section(title: string, ...lines: readonly string[]): string[] {
  return [`.SH ${quoted(title)}`, ...lines]
}

function tagged(tag: string, text: string): string[] {
  return [".TP", bold(tag), escaped(text)]
}

function bold(text: string): string {
  return `\\fB${escaped(text)}\\fR`
}

/** Plain text for roff: no escapes, dashes that can be copied, and no line that begins like a request. */
function escaped(text: string): string {
  return text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replaceAll("…", "...")
    .replace(/^([.'])/, "\\&$1")
}

function quoted(text: string): string {
  return `"${escaped(text).replaceAll('"', '""')}"`
}
