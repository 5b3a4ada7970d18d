// Settings as the options of the command that runs: what was not typed is taken from the layers, and checked under the name that its giver
// knows it by.

import type { Command } from "commander"
import { pathOf } from "../define.ts"
import type { Io } from "../io.ts"
import type { Layers } from "./layers.ts"
import { checkText, type Setting } from "./setting.ts"
import { settings } from "./settings.ts"

export function applySettings(command: Command, io: Io, layers: Layers): void {
  const path = pathOf(command)
  for (const setting of settings.filter(({ flag }) => flag?.command === path)) {
    const option = command.options.find(({ long }) => long === setting.flag?.name)
    const text = io.env[setting.variable]
    if (!option || !text) continue
    const name = option.attributeName()
    const source = command.getOptionValueSource(name)
    if (source !== undefined && source !== "default") continue
    checkText(setting, nameIn(layers, setting), text)
    // As commander has it where it was typed: text, but for switches and for what may be repeated.
    const shaped = setting.shape(text)
    command.setOptionValueWithSource(name, typeof shaped === "boolean" || Array.isArray(shaped) ? shaped : text, "env")
  }
}

/** Who gave it, for messages. */
export function nameIn({ added }: Layers, { key, variable }: Setting): string {
  const from = added.get(variable)?.from
  if (from === undefined) return variable
  return from === ".env" ? `${from}: ${variable}` : `${from}: ${key}`
}
