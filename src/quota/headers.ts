// The headers of a response, by lower-case name. A value that is too long or holds control characters is not there: half of it
// would be another value.

import { mostHeaderChars } from "./caps.ts"

/** The platform's Headers, or what node and axios give. */
export type HeadersLike =
  | { readonly get: (name: string) => string | null }
  | { readonly [name: string]: string | readonly string[] | undefined }

export type Header = (lowerCaseName: string) => string | null

/** Longer than any name that is asked for. */
const longestAskedChars = 64
const controls = /[^\P{Cc}\t]|[\u2028\u2029]/u

export function headerOf(headers: HeadersLike): Header {
  const get = headers.get
  if (typeof get === "function") return (name) => readable(get.call(headers, name))
  const values = new Map<string, unknown[]>()
  for (const [name, value] of Object.entries(headers)) {
    if (name.length > longestAskedChars) continue
    const lines = values.get(name.toLowerCase()) ?? []
    lines.push(...(Array.isArray(value) ? value.slice(0, mostHeaderChars) : [value]))
    values.set(name.toLowerCase(), lines)
  }
  return (name) => readable(values.get(name))
}

function readable(value: unknown): string | null {
  const text = typeof value === "string" ? value : joined(value)
  return text === null || text.length > mostHeaderChars || controls.test(text) ? null : text.trim() || null
}

/** Lines of one name are one list, as HTTP has it. */
function joined(value: unknown): string | null {
  let text: string | null = null
  for (const line of Array.isArray(value) ? value.slice(0, mostHeaderChars) : []) {
    if (typeof line !== "string") continue
    text = text === null ? line : `${text}, ${line}`
    if (text.length > mostHeaderChars) break
  }
  return text
}
