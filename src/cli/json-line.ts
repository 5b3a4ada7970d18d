// JSON on one line, as people write it by hand: {"pending": 3, "running": 1}. What --json prints. It may be read on a terminal:
// what that would obey is escaped, which means the same in JSON.

import { plain } from "./plain.ts"

export function jsonLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(jsonLine).join(", ")}]`
  if (typeof value !== "object" || value === null) return plain(JSON.stringify(value) ?? "null")
  const properties = Object.entries(value).filter(([, item]) => item !== undefined)
  return `{${properties.map(([key, item]) => `${plain(JSON.stringify(key))}: ${jsonLine(item)}`).join(", ")}}`
}
