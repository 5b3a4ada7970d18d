// What the library gives, as --json prints it: names in snake case, times as ISO 8601. What has a document of its own (a task)
// is printed as that.

import { formatInstant } from "../units/index.ts"

/** Properties whose keys are data (the keys of gates, the numbers of buckets, types), not names. */
const keyedByData: ReadonlySet<string> = new Set(["settings", "buckets", "costs"])

/** What is called otherwise on the wire than in code, where every number has its unit in its name. */
const wireNames = new Map([
  ["adaptiveDelayMs", "adaptive_delay"],
  ["delayFloorMs", "delay_floor"],
])

export function documentOf(value: unknown): unknown {
  if (value instanceof Date) return formatInstant(value.getTime())
  if (Array.isArray(value)) return value.map(documentOf)
  if (typeof value !== "object" || value === null) return value
  if ("toJSON" in value && typeof value.toJSON === "function") return value.toJSON()
  return mapped(value, (name, item) => [
    snakeCase(name),
    keyedByData.has(name) && typeof item === "object" && item !== null
      ? mapped(item, (key, one) => [key, documentOf(one)])
      : documentOf(item),
  ])
}

/** "aheadCost" is `ahead_cost` on the wire. */
export function snakeCase(name: string): string {
  return wireNames.get(name) ?? name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

function mapped(value: object, change: (key: string, item: unknown) => [string, unknown]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).map(([key, item]) => change(key, item)))
}
