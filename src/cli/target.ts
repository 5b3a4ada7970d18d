// Limits and gates as people type them: "vendor-api", "vendor-api/host-1", and with a cost "vendor-api/host-1=3".

import { SluiceError, shown } from "../errors/index.ts"
import type { GateRef } from "../task/index.ts"
import { parseKey, parseName } from "../units/index.ts"

export interface Target {
  readonly limit: string
  /** "" for the limit as a whole. */
  readonly key: string
}

/** The first "/" ends the name of the limit; a key may have more of them. */
export function parseTarget(name: string, text: string): Target {
  const slash = text.indexOf("/")
  if (slash === -1) return { limit: parseName(name, text), key: "" }
  const key = text.slice(slash + 1)
  if (slash === 0 || key === "") {
    throw new SluiceError(
      "invalid_name",
      `${name}: expected a limit or one of its gates, such as "vendor-api" or "vendor-api/host-1", got ${shown(text)}`,
    )
  }
  return { limit: parseName(name, text.slice(0, slash)), key: parseKey(name, key) }
}

/** What stands behind the last "=" is the cost where it is a number; else it belongs to the key. */
export function parseGate(name: string, text: string): GateRef {
  const match = /^(.*)=([-+]?\d+(?:\.\d+)?)$/s.exec(text)
  if (!match) return { ...parseTarget(name, text), cost: 1 }
  const cost = Number(match[2])
  if (!Number.isSafeInteger(cost) || cost < 1) {
    throw new SluiceError("invalid_cost", `${name}: expected a whole cost of 1 or more behind "=", got ${shown(text)}`)
  }
  return { ...parseTarget(name, match[1] ?? ""), cost }
}
