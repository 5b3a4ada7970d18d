// The token of the server: from a file or from the environment, never from a URL or an argument, which others can see.

import { readFile } from "node:fs/promises"
import { SluiceError, shown } from "../../errors/index.ts"
import type { Location } from "./location.ts"

const shape = /^[A-Za-z0-9._~+/=-]{1,1024}$/

/** Null: none, as a server on this machine may have none. */
export async function findToken({ tokenFile }: Location, env: Readonly<Record<string, string | undefined>>): Promise<string | null> {
  const file = tokenFile ?? (env.SLUICE_TOKEN_FILE || null)
  if (file !== null) return checked(`token file ${shown(file)}`, await read(file))
  return env.SLUICE_TOKEN ? checked("SLUICE_TOKEN", env.SLUICE_TOKEN) : null
}

async function read(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8")
  } catch (cause) {
    throw new SluiceError(
      "invalid_option",
      `token file: expected a file with a token, could not read ${shown(file)} (${(cause as Error).message})`,
      { cause },
    )
  }
}

function checked(where: string, text: string): string {
  const token = text.trim()
  if (shape.test(token)) return token
  throw new SluiceError("invalid_option", `${where}: expected a token of letters, digits and . _ ~ + / = -, got something else`)
}
