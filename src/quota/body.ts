// Fields of a parsed JSON body. Codes are read, error texts never: a text is written for people and changes without notice.

/** What is at the end of the path, or undefined where it breaks off. */
export function fieldOf(body: unknown, ...path: readonly string[]): unknown {
  let value = body
  for (const name of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined
    value = (value as Readonly<Record<string, unknown>>)[name]
  }
  return value
}

/** GraphQL refuses with HTTP 200 and a list of errors. The first few: a list may be as long as somebody likes. */
export function hasError(body: unknown, code: string, ...path: readonly string[]): boolean {
  const errors = fieldOf(body, "errors")
  return Array.isArray(errors) && errors.slice(0, 16).some((error) => fieldOf(error, ...path) === code)
}
