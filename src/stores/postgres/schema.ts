// The schema that all tables are in. Its name is the user's and may hold anything, so it is always quoted; in statements it is `$s`.

import { SluiceError, shown } from "../../errors/index.ts"

/** What is longer Postgres would cut off without a word. */
const mostBytes = 63

export function parseSchema(what: string, value: string): string {
  const isName = value !== "" && !value.includes("\0") && value.isWellFormed() && Buffer.byteLength(value) <= mostBytes
  if (!isName) throw new SluiceError("invalid_name", `${what}: expected 1 to ${mostBytes} bytes without U+0000, got ${shown(value)}`)
  if (/^pg_|^information_schema$/.test(value))
    throw new SluiceError("invalid_name", `${what}: expected a name that Postgres does not keep for itself, got ${shown(value)}`)
  return value
}

export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** `$s` stands for the schema; `$1` and `$tag$` are Postgres's own. */
export function inSchema(text: string, schema: string): string {
  const name = quoted(schema)
  // A function: "$" in a name means nothing.
  return text.replace(/\$s\b(?!\$)/g, () => name)
}
