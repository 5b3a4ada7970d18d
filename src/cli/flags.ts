// Options on the command line are text. Here they become what the same option takes in code, and are checked by the same
// readers under the name that was typed, so that a message speaks of `--max-retries` and not of `maxRetries`.

import { onlyOne, type Reader, type Readers } from "../units/index.ts"

/** From text to what the option takes in code. Text that does not fit stays text: the reader then shows it as it was typed. */
export type Shape = (text: string) => unknown

export const asText: Shape = (text) => text
export const asNumber: Shape = (text) => (/^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text)
/** A bare 0 needs no unit. */
export const asDuration: Shape = (text) => (text === "0" ? 0 : text)
/** Where a word stands for null: "never", "none". */
export function orWord(word: string, shape: Shape): Shape {
  return (text) => (text === word ? null : shape(text))
}

/** As commander gives them: keys in camel case, what was not on the command line is absent. */
export type Given = Readonly<Record<string, unknown>>

/** The options that `shapes` names, as the library takes them. */
export function readFlags<Options>(given: Given, shapes: { readonly [K in keyof Options]?: Shape }, readers: Readers): Options {
  const read: Record<string, unknown> = {}
  for (const [key, shape] of Object.entries<Shape | undefined>(shapes)) {
    if (given[key] === undefined || !shape) continue
    read[key] = shape(given[key] as string)
    readers[key]?.(flagOf(key), read[key])
  }
  return read as Options
}

export function readFlag<T>(given: Given, key: string, shape: Shape, reader: Reader<T>): T | undefined {
  const value = given[key]
  return value === undefined ? undefined : reader(flagOf(key), shape(value as string))
}

export function onlyOneFlag(where: string, given: Given, keys: readonly string[]): void {
  onlyOne(where, Object.fromEntries(keys.map((key) => [flagOf(key), given[key]])), keys.map(flagOf))
}

/** For commander: an option that may be given several times. */
export function collect(text: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), text]
}

/** "maxRetries" is `--max-retries` on the command line. */
function flagOf(key: string): string {
  return `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
}
