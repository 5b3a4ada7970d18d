// sluice config check: which files were read, what is set and by whom, and everything that is wrong with it, not only the first.

import type { Command } from "commander"
import { SluiceError } from "../../../errors/index.ts"
import { maskPassword, nearest } from "../../../units/index.ts"
import { nameIn } from "../../config/apply.ts"
import { type Layers, readLayers } from "../../config/layers.ts"
import { checkText, type Setting } from "../../config/setting.ts"
import { otherVariables, settings } from "../../config/settings.ts"
import { define } from "../../define.ts"
import type { Given } from "../../flags.ts"
import { plain } from "../../plain.ts"
import type { Session } from "../../session.ts"
import { table } from "../../table.ts"

interface Row {
  readonly key: string
  readonly variable: string
  readonly value: string | null
  /** "--store", "environment", ".env", the name of the file, or "default". */
  readonly from: string
}

export function addCheck(config: Command, session: Session): void {
  define(config, {
    usage: "check",
    summary: "Show which settings hold and where they come from, and what is wrong with them",
    details: "An option goes before the environment, that before .env, that before the configuration file, that before the default.",
    examples: [
      "sluice config check",
      "sluice config check --all",
      "sluice config check --json | jq '.settings[] | select(.from == \".env\")'",
    ],
  })
    .option("--all", "Also what is set nowhere, with its default")
    .action((given: Given) => check(session, given.all === true))
}

async function check(session: Session, isAll: boolean): Promise<void> {
  const layers = await readLayers(session.io, session.configFlag)
  const rows = settings.map((setting) => rowOf(session, layers, setting))
  const shownRows = rows.filter(({ key, from }) => isAll || from !== "default" || key === "store" || key === "namespace")
  const problems = [...layers.problems, ...settings.flatMap((setting) => problemsOf(session, layers, setting))]
  const warnings = unknownVariables(session)
  if (session.isJson) session.printJson({ config_file: layers.file, env_file: layers.envFile, settings: shownRows, problems, warnings })
  else {
    const files = [
      [{ text: "config file" }, { text: plain(layers.file ?? "none") }],
      [{ text: ".env" }, { text: plain(layers.envFile ?? "none") }],
    ]
    const cells = shownRows.map(({ key, value, from }) => [{ text: key }, { text: plain(value ?? "not set") }, { text: plain(from) }])
    session.print(...table(files, { width: null }), "", ...table(cells, { width: null }))
    for (const warning of warnings) session.note(`warning: ${plain(warning)}`)
    if (problems.length === 0) session.print("", "Nothing is wrong with these settings.")
  }
  for (const problem of problems) session.fail(new SluiceError("invalid_option", problem))
}

function rowOf(session: Session, { added }: Layers, { key, variable, default: usual }: Setting): Row {
  const typed = key === "store" || key === "namespace" ? session.typed(key) : undefined
  const text = session.io.env[variable]
  const mask = (value: string) => (key === "store" ? maskPassword(value) : value)
  if (typed !== undefined) return { key, variable, value: mask(typed), from: `--${key}` }
  if (text) return { key, variable, value: mask(text), from: added.get(variable)?.from ?? "environment" }
  return { key, variable, value: usual, from: "default" }
}

function problemsOf(session: Session, layers: Layers, setting: Setting): string[] {
  const text = session.io.env[setting.variable]
  if (!text) return []
  try {
    checkText(setting, nameIn(layers, setting), text)
    return []
  } catch (error) {
    return [(error as Error).message]
  }
}

/** Only a warning: other software sets variables with our name too, such as Kubernetes for a service that is called like this. */
function unknownVariables({ io }: Session): string[] {
  const known = [...settings.map(({ variable }) => variable), ...otherVariables]
  return Object.keys(io.env)
    .filter((name) => name.startsWith("SLUICE_") && !known.includes(name))
    .map((name) => {
      const near = nearest(name, known)
      return `${name} is no variable of Sluice${near === null ? "" : `; did you mean ${near}?`}`
    })
}
