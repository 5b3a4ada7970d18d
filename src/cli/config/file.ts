// The configuration file: found in the current folder, or where --config or SLUICE_CONFIG says. It is read into the texts of settings; what
// it has besides is refused, with the nearest name that is known.

import { existsSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { SluiceError, shown } from "../../errors/index.ts"
import { nearest } from "../../units/index.ts"
import { importModule, loadErrorText } from "../../worker/module.ts"
import type { Io } from "../io.ts"
import { checkText, type Setting, textOf } from "./setting.ts"
import { settings } from "./settings.ts"

export const fileNames = ["sluice.config.ts", "sluice.config.mts", "sluice.config.js", "sluice.config.mjs", "sluice.config.json"] as const

export interface ReadFile {
  readonly texts: ReadonlyMap<Setting, string>
  readonly problems: readonly string[]
}

/** Where the file is; null where there is none. One that is asked for has to be there, and of several nobody would know which holds. */
export function findFile({ cwd, env }: Io, asked: string | undefined): string | null {
  const named = asked ?? (env.SLUICE_CONFIG || undefined)
  if (named !== undefined) {
    const path = resolve(cwd, named)
    if (existsSync(path)) return path
    const where = asked === undefined ? "SLUICE_CONFIG" : "--config"
    throw new SluiceError("invalid_option", `${where}: expected a configuration file, found nothing at ${path}`)
  }
  const found = fileNames.filter((name) => existsSync(join(cwd, name)))
  if (found.length > 1)
    throw new SluiceError("invalid_option", `expected one configuration file, found ${found.join(" and ")}; remove one, or say --config`)
  return found[0] === undefined ? null : join(cwd, found[0])
}

/** `name` is what messages call it. */
export async function readFile(path: string, name: string): Promise<ReadFile> {
  const value = await load(path, name)
  if (!isObject(value))
    throw new SluiceError("invalid_option", `${name}: expected an object of settings as its default export, got ${shown(value)}`)
  const texts = new Map<Setting, string>()
  const problems: string[] = []
  for (const [key, given] of leavesOf(value)) {
    const setting = settings.find((one) => one.key === key)
    const problem = setting ? problemOf(setting, name, given) : unknownText(name, key)
    if (problem !== null) problems.push(problem)
    else if (setting) texts.set(setting, textOf(setting, given))
  }
  return { texts, problems }
}

async function load(path: string, name: string): Promise<unknown> {
  try {
    if (path.endsWith(".json")) return JSON.parse(readFileSync(path, "utf8")) as unknown
    return (await importModule(path)).default
  } catch (cause) {
    throw new SluiceError("invalid_option", `${name}: expected a configuration that loads, but ${loadErrorText(cause)}`, { cause })
  }
}

const sections = [...new Set(settings.filter(({ key }) => key.includes(".")).map(({ key }) => key.slice(0, key.indexOf("."))))]

/** A section holds settings; an object elsewhere is a value. What is undefined is not there. */
function leavesOf(value: Readonly<Record<string, unknown>>): [key: string, value: unknown][] {
  return Object.entries(value)
    .filter(([, given]) => given !== undefined)
    .flatMap(([key, given]): [string, unknown][] => {
      if (!sections.includes(key) || !isObject(given)) return [[key, given]]
      return Object.entries(given)
        .filter(([, inner]) => inner !== undefined)
        .map(([inner, of]) => [`${key}.${inner}`, of])
    })
}

function problemOf(setting: Setting, name: string, given: unknown): string | null {
  try {
    checkText(setting, `${name}: ${setting.key}`, textOf(setting, given))
    return null
  } catch (error) {
    return (error as Error).message
  }
}

function unknownText(name: string, key: string): string {
  if (sections.includes(key)) return `${name}: ${key}: expected an object of settings`
  const [section, inner] = key.includes(".") ? key.split(".", 2) : [null, key]
  const known = section === null ? [...settings.map((one) => one.key).filter((one) => !one.includes(".")), ...sections] : within(section)
  const near = nearest(inner ?? "", known)
  return `${name}: unknown setting ${shown(key)}${near === null ? `; known are ${known.join(", ")}` : `; did you mean "${near}"?`}`
}

function within(section: string | undefined): string[] {
  return settings.filter(({ key }) => key.startsWith(`${section}.`)).map(({ key }) => key.slice(key.indexOf(".") + 1))
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
