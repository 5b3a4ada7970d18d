// Options are read once, at the edge, into plain integers: one reader per option, and a key that no reader knows is
// refused with the nearest one that is known.

import { SluiceError, shown } from "../errors/index.ts"

export type Reader<T> = (name: string, value: unknown) => T
export type Readers = Readonly<Record<string, Reader<unknown>>>
export type ReadOptions<R extends Readers> = { readonly [K in keyof R]?: ReturnType<R[K]> }

/** Options that are absent or undefined are left out; null is handed to the reader. */
export function readOptions<R extends Readers>(where: string, value: unknown, readers: R): ReadOptions<R> {
  if (value === undefined) return {}
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new SluiceError("invalid_option", `${where}: expected an object of options, got ${shown(value)}`)
  }
  const read: Record<string, unknown> = {}
  for (const [key, given] of Object.entries(value)) {
    const reader = Object.hasOwn(readers, key) ? readers[key] : undefined
    if (!reader) throw unknownOption(where, key, Object.keys(readers))
    if (given !== undefined) read[key] = reader(`${where}: ${key}`, given)
  }
  return read as ReadOptions<R>
}

function unknownOption(where: string, key: string, known: readonly string[]): SluiceError {
  const near = nearest(key, known)
  const hint = near ? `; did you mean "${near}"?` : `; known are ${known.join(", ")}`
  return new SluiceError("invalid_option", `${where}: unknown option ${shown(key)}${hint}`)
}

/** At most one of these may be given. */
export function onlyOne(where: string, options: Readonly<Record<string, unknown>>, names: readonly string[]): void {
  const given = names.filter((name) => options[name] !== undefined)
  if (given.length > 1) {
    throw new SluiceError("invalid_option", `${where}: expected only one of ${names.join(", ")}, got ${given.join(" and ")}`)
  }
}

export function wholeNumber(least: number, most: number): Reader<number> {
  return (name, value) => {
    if (typeof value === "number" && Number.isSafeInteger(value) && value >= least && value <= most) return value
    throw new SluiceError("invalid_option", `${name}: expected a whole number from ${least} to ${most}, got ${shown(value)}`)
  }
}

export function orNull<T>(reader: Reader<T>): Reader<T | null> {
  return (name, value) => (value === null ? null : reader(name, value))
}

export function listOf<T>(reader: Reader<T>, most = Number.POSITIVE_INFINITY): Reader<readonly T[]> {
  return (name, value) => {
    if (!Array.isArray(value)) throw new SluiceError("invalid_option", `${name}: expected an array, got ${shown(value)}`)
    if (value.length > most) throw new SluiceError("invalid_option", `${name}: expected at most ${most}, got ${value.length}`)
    return value.map((item, i) => reader(`${name}[${i}]`, item))
  }
}

export function oneOf<T extends string>(...choices: readonly T[]): Reader<T> {
  return (name, value) => {
    const found = choices.find((choice) => choice === value)
    if (found !== undefined) return found
    const near = typeof value === "string" ? nearest(value, choices) : null
    throw new SluiceError(
      "invalid_option",
      `${name}: expected ${choices.join(", ")}, got ${shown(value)}${near ? `; did you mean "${near}"?` : ""}`,
    )
  }
}

export function yesOrNo(name: string, value: unknown): boolean {
  if (typeof value === "boolean") return value
  throw new SluiceError("invalid_option", `${name}: expected true or false, got ${shown(value)}`)
}

/** Takes the value as it is: functions, signals, and what another part checks. */
export function anything<T>(): Reader<T> {
  return (_name, value) => value as T
}

const mostEdits = 2

/** The known word within two edits, if there is one. */
export function nearest(word: string, known: readonly string[]): string | null {
  const ranked = known
    // One that is so much longer or shorter is not near, and a long one is long in comparing.
    .filter((candidate) => Math.abs(candidate.length - word.length) <= mostEdits)
    .map((candidate) => ({ candidate, edits: edits(word.toLowerCase(), candidate.toLowerCase()) }))
    .sort((a, b) => a.edits - b.edits)
  const best = ranked[0]
  return best && best.edits <= Math.min(mostEdits, Math.floor(word.length / 2)) ? best.candidate : null
}

function edits(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
