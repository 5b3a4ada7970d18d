// What an option takes literally, from stdin or from a file.

import { readFile } from "node:fs/promises"
import { resolve } from "node:path"
import { SluiceError } from "../errors/index.ts"
import type { Io } from "./io.ts"

/** "-" is stdin, "@file" a file, anything else is meant as it stands. */
export async function textFrom(io: Io, name: string, given: string): Promise<string> {
  if (given === "-") return io.stdin()
  if (!given.startsWith("@")) return given
  try {
    return await readFile(resolve(io.cwd, given.slice(1)), "utf8")
  } catch (cause) {
    throw new SluiceError("invalid_input", `${name}: expected a file at ${given.slice(1)}, but ${(cause as Error).message}`, { cause })
  }
}
