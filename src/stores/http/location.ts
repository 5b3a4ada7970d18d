// Where the server is. A token in the URL would end up in logs and histories: it is refused.

import { SluiceError, shown } from "../../errors/index.ts"
import { maskPassword, nearest, parseDuration } from "../../units/index.ts"

export interface Location {
  /** With a slash at its end. */
  readonly base: string
  /** For people to read. */
  readonly place: string
  readonly patienceMs: number
  /** The file that the token is in; null: SLUICE_TOKEN_FILE or SLUICE_TOKEN, where there is one. */
  readonly tokenFile: string | null
}

const known = ["timeout", "tokenFile"]
const defaultPatienceMs = 30_000
const longestPatienceMs = 600_000

export function parseLocation(url: string): Location {
  const where = `store ${shown(maskPassword(url))}`
  const parsed = parse(url, where)
  if (parsed.username !== "" || parsed.password !== "")
    throw new SluiceError(
      "invalid_option",
      `${where}: expected no token in the URL, where others can read it; set SLUICE_TOKEN or SLUICE_TOKEN_FILE`,
    )
  for (const name of parsed.searchParams.keys()) {
    if (known.includes(name)) continue
    const near = nearest(name, known)
    const hint = /token/i.test(name) ? "; a token is set by SLUICE_TOKEN or SLUICE_TOKEN_FILE" : near ? `; did you mean "${near}"?` : ""
    throw new SluiceError("invalid_option", `${where}: expected the options ${known.join(", ")}, got ${shown(name)}${hint}`)
  }
  const timeout = parsed.searchParams.get("timeout")
  const patienceMs = timeout === null ? defaultPatienceMs : parseDuration(`${where}: timeout`, timeout)
  if (patienceMs < 1 || patienceMs > longestPatienceMs)
    throw new SluiceError("invalid_option", `${where}: timeout: expected 1ms to 10m, got ${shown(timeout)}`)
  const base = `${parsed.origin}${parsed.pathname.replace(/\/*$/, "/")}`
  return { base, place: `server ${base}`, patienceMs, tokenFile: parsed.searchParams.get("tokenFile") }
}

function parse(url: string, where: string): URL {
  try {
    return new URL(url)
  } catch (cause) {
    throw new SluiceError("unknown_store", `${where}: expected a URL such as "http://127.0.0.1:8400" or "https://queue.example.com"`, {
      cause,
    })
  }
}
