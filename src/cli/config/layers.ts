// Where settings come from: the environment goes before .env, that before the configuration file, that before the default; an option on the
// command line goes before all. An empty variable counts as none.

import { existsSync, readFileSync, statSync } from "node:fs"
import { join, relative } from "node:path"
import { parseEnv } from "node:util"
import { SluiceError } from "../../errors/index.ts"
import type { Io } from "../io.ts"
import { findFile, readFile } from "./file.ts"

export const envFileName = ".env"

export interface Layers {
  /** As given, before anything was added. */
  readonly environment: Io["env"]
  readonly envFile: string | null
  readonly file: string | null
  /** Which variables were added, and by whom: ".env" or the name of the file. */
  readonly added: ReadonlyMap<string, { readonly text: string; readonly from: string }>
  /** What is wrong with the file, a sentence each. */
  readonly problems: readonly string[]
}

/** Reads them, and adds to the environment what it has not: whoever reads a variable need not know where it comes from. */
export async function readLayers(io: Io, askedFile: string | undefined): Promise<Layers> {
  const environment = { ...io.env }
  const added = new Map<string, { text: string; from: string }>()
  const add = (variable: string, text: string, from: string) => {
    if (!environment[variable] && !added.has(variable) && text !== "") added.set(variable, { text, from })
  }
  const envFile = join(io.cwd, envFileName)
  // A folder of that name is somebody else's: virtual environments of Python are called so.
  const hasEnvFile = existsSync(envFile) && !statSync(envFile).isDirectory()
  if (hasEnvFile) for (const [variable, text] of Object.entries(readEnvFile(envFile))) add(variable, text, envFileName)
  // Before the file: it may be named there, and may read what is there.
  for (const [variable, { text }] of added) io.setEnv(variable, text)
  const file = findFile(io, askedFile)
  const name = file === null ? "" : relative(io.cwd, file)
  const { texts, problems } = file === null ? { texts: new Map(), problems: [] } : await readFile(file, name)
  for (const [setting, text] of texts) {
    add(setting.variable, text, name)
    if (added.get(setting.variable)?.from === name) io.setEnv(setting.variable, text)
  }
  return { environment, envFile: hasEnvFile ? envFile : null, file, added, problems }
}

function readEnvFile(path: string): Record<string, string> {
  try {
    return parseEnv(readFileSync(path, "utf8")) as Record<string, string>
  } catch (cause) {
    throw new SluiceError("invalid_option", `${envFileName}: expected a file of variables, but ${(cause as Error).message}`, { cause })
  }
}
