// A request as the script reads it: JSON without nulls, because a table in Lua has no place for one.

/**
 * Drops `"name":null`. A quote that follows "{" or "," and is followed by a letter opens a name: inside a text it would be escaped, and
 * one that ends a text is followed by ":", ",", "]" or "}". So nothing inside a text is ever touched.
 */
const nulls = /,"\w+":null|(?<=\{)(?:"\w+":null(?:,|(?=\})))+/g

export function toText(request: unknown): string {
  return JSON.stringify(request).replace(nulls, "")
}
