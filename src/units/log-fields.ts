// What a handler logs, as JSON can say it. People log errors, big numbers and whole objects of clients, and a line of a log ends neither a
// run nor a worker: nothing in here throws, and nothing goes on for long.

import { shown } from "../errors/index.ts"

const deepest = 20
/** Of one line. What refers to each other, as records of a database do, would be said again on every way that leads to it: millions of times. */
const mostValues = 10_000

/** Of fields that are none, an error beside the message above all, the value under a name. */
export function logFields(fields: unknown): Readonly<Record<string, unknown>> {
  if (fields === undefined || fields === null) return {}
  const said = new Saying().say(fields, [])
  if (fields instanceof Error) return { error: said }
  return typeof said === "object" && said !== null && !Array.isArray(said) ? (said as Record<string, unknown>) : { value: said }
}

export function logText(message: unknown): string {
  if (typeof message === "string") return message
  const said = new Saying().say(message, [])
  return typeof said === "string" ? said : (JSON.stringify(said) ?? "undefined")
}

/** One line, while it is said. */
class Saying {
  private left = mostValues

  say(value: unknown, above: readonly object[]): unknown {
    this.left--
    try {
      return typeof value === "object" && value !== null ? this.ofObject(value, above) : ofScalar(value)
    } catch {
      // A getter or a proxy may do anything.
      return "something that cannot be read"
    }
  }

  private ofObject(value: object, above: readonly object[]): unknown {
    if (value instanceof Error) return String(value.message || value.name)
    if (value instanceof Date) return shown(value)
    if (above.includes(value)) return "what it is part of"
    if (above.length >= deepest || this.left <= 0) return shown(value)
    const within = [...above, value]
    if ("toJSON" in value && typeof value.toJSON === "function") return this.say(value.toJSON(), within)
    return Array.isArray(value) ? this.ofList(value, within) : this.ofProperties(value, within)
  }

  private ofList(list: readonly unknown[], within: readonly object[]): unknown[] {
    const said: unknown[] = []
    for (const item of list) {
      if (this.left <= 0) return [...said, `${list.length - said.length} more`]
      said.push(this.say(item ?? null, within))
    }
    return said
  }

  private ofProperties(value: object, within: readonly object[]): Record<string, unknown> {
    const said: [string, unknown][] = []
    const keys = Object.keys(value)
    for (const [i, key] of keys.entries()) {
      if (this.left <= 0) return Object.fromEntries([...said, ["…", `${keys.length - i} more`]])
      const item = this.property(value, key, within)
      if (item !== undefined) said.push([key, item])
    }
    return Object.fromEntries(said)
  }

  /** One that cannot be read leaves the others as they are. */
  private property(value: object, key: string, within: readonly object[]): unknown {
    try {
      return this.say((value as Record<string, unknown>)[key], within)
    } catch {
      return "something that cannot be read"
    }
  }
}

function ofScalar(value: unknown): unknown {
  if (typeof value === "bigint") return String(value)
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value)
  return typeof value === "symbol" || typeof value === "function" ? shown(value) : value
}
