// Names that people give: task types, tags, namespaces, idempotency keys. Narrow enough to be safe in a path, a key or a URL.

import { SluiceError, shown } from "../errors/index.ts"

const name = /^[A-Za-z0-9_-][A-Za-z0-9_.:-]{0,127}$/

export function parseName(what: string, value: unknown): string {
  if (typeof value === "string" && name.test(value)) return value
  throw new SluiceError(
    "invalid_name",
    `${what}: expected 1 to 128 letters, digits, "_", "-", "." or ":", not starting with "." or ":", got ${shown(value)}`,
  )
}

/** Names that begin so are Sluice's own: the gates of jobs are those of a limit that nobody declares. */
const ownPrefix = "sluice:"

/** A name that people give. */
export function parseFreeName(what: string, value: unknown): string {
  const found = parseName(what, value)
  if (!found.startsWith(ownPrefix)) return found
  throw new SluiceError(
    "invalid_name",
    `${what}: expected a name that does not begin with "${ownPrefix}", which Sluice keeps for itself, got ${shown(value)}`,
  )
}

/** A key is looked up, never used as a path: any printable text up to 512 characters. */
export function parseKey(what: string, value: unknown): string {
  if (typeof value === "string" && value.length > 0 && value.length <= 512 && value.isWellFormed() && !hasControl(value)) return value
  throw new SluiceError("invalid_name", `${what}: expected 1 to 512 characters without control characters, got ${shown(value)}`)
}

function hasControl(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) < 32 || text.charCodeAt(i) === 127) return true
  return false
}
