// One setting of the command line: its place in the configuration file, the variable of the environment that gives it as well, and how its
// text is read. In all layers a setting is text, so that one reader judges it wherever it comes from.

import { type Reader, wholeNumber } from "../../units/index.ts"
import { asNumber, type Shape } from "../flags.ts"

export interface Setting {
  /** Its place in the file: "work.concurrency". */
  readonly key: string
  readonly variable: string
  /** The option that goes before it, where there is one, and the command that has it; null: every command. */
  readonly flag: { readonly name: string; readonly command: string | null } | null
  /** As text; null where it depends on something. */
  readonly default: string | null
  readonly shape: Shape
  readonly reader: Reader<unknown>
  /** What null is called. */
  readonly word: string
}

/** "work.metricsPort" is SLUICE_WORK_METRICS_PORT. */
export function variableOf(key: string): string {
  return `SLUICE_${key.replaceAll(".", "_").replaceAll(/[A-Z]/g, "_$&")}`.toUpperCase()
}

/** Throws where the text is none that the setting takes; `name` says whose text it is. */
export function checkText({ shape, reader }: Setting, name: string, text: string): void {
  reader(name, shape(text))
}

/** What a file says, as the text that a variable would have; what fits nowhere stays such that its reader refuses it. */
export function textOf({ key, word }: Setting, value: unknown): string {
  if (value === null) return word
  if (key === "job.cancelAfterThrottles") return throttlesText(value)
  if (Array.isArray(value)) return value.map(String).join(",")
  return typeof value === "object" ? JSON.stringify(value) : String(value)
}

/** As SLUICE_JOB_CANCEL_AFTER_THROTTLES has it: "on", "off", "20", "20 at 60s". */
function throttlesText(value: unknown): string {
  if (typeof value === "boolean") return value ? "on" : "off"
  if (typeof value !== "object" || value === null) return String(value)
  const { count = 20, delay, ...others } = value as Readonly<Record<string, unknown>>
  if (Object.keys(others).length > 0) return JSON.stringify(value)
  return delay === undefined ? String(count) : `${count} at ${delay}`
}

export const asYesOrNo: Shape = (text) => (text === "true" ? true : text === "false" ? false : text)
export const asList: Shape = (text) =>
  text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "")

export const port = { shape: asNumber, reader: wholeNumber(0, 65_535) }
