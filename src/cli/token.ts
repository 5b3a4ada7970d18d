// A token from a file or from the environment: never from an argument, which everybody on the machine can see.

import { readFile } from "node:fs/promises"
import { resolve } from "node:path"
import { SluiceError, shown } from "../errors/index.ts"
import type { Io } from "./io.ts"

/** `variables`: one that names a file, and one that is the token. Null where none is given; an empty one counts as none. */
export async function tokenFrom(io: Io, flag: string, file: unknown, variables: readonly [string, string]): Promise<string | null> {
  const [ofFile, ofToken] = variables
  if (typeof file === "string") return read(io, flag, file)
  const named = io.env[ofFile]
  if (named) return read(io, ofFile, named)
  return io.env[ofToken]?.trim() || null
}

async function read(io: Io, where: string, file: string): Promise<string> {
  try {
    return (await readFile(resolve(io.cwd, file), "utf8")).trim()
  } catch (cause) {
    const why = (cause as NodeJS.ErrnoException).code === "ENOENT" ? "there is none" : (cause as Error).message
    throw new SluiceError("invalid_option", `${where}: expected a file with a token, got ${shown(file)}: ${why}`, { cause })
  }
}
