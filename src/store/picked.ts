// Some of a map, in the order in which they were asked for.

export function picked<T>(keys: readonly string[], from: { get(key: string): T | undefined }): Map<string, T> {
  const found = new Map<string, T>()
  for (const key of keys) {
    const value = from.get(key)
    if (value !== undefined) found.set(key, value)
  }
  return found
}
