// JSON in: a value that people hand over becomes text, or a clear refusal. Nothing is changed on the way: what JSON
// cannot carry, or what some store could not give back exactly, is refused instead of bent. A property that is
// `undefined` counts as absent, as everywhere in JavaScript.

import { cut, plain, SluiceError, shown } from "../errors/index.ts"
import { formatSize } from "./size.ts"

const deepest = 200
const mostPath = 300

export function toJson(name: string, value: unknown, maxBytes: number): string {
  checkValue(name, "", value, 0)
  const text = JSON.stringify(value)
  // A character is at most three bytes of UTF-8, so short texts need no counting.
  if (text.length * 3 > maxBytes) {
    const bytes = Buffer.byteLength(text)
    if (bytes > maxBytes) {
      throw new SluiceError(
        "input_too_large",
        `${name}: expected at most ${formatSize(maxBytes)} of JSON, got ${formatSize(bytes)}; store it elsewhere and pass a reference, or raise maxInputBytes`,
      )
    }
  }
  return text
}

export function parseJson(name: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    // It quotes the text as it is.
    const why = cut(plain((cause as Error).message), 200)
    throw new SluiceError("invalid_input", `${name}: expected JSON, got ${shown(text)} (${why})`, { cause })
  }
}

function checkValue(name: string, path: string, value: unknown, depth: number): void {
  switch (typeof value) {
    case "string":
      checkText(name, path, value)
      break
    case "boolean":
      break
    case "number":
      if (!Number.isFinite(value)) throw refused(name, path, value, "a finite number")
      break
    case "object":
      if (value === null) break
      if (depth > deepest) throw refused(name, path, value, `at most ${deepest} levels, and nothing that is part of itself`)
      if (Array.isArray(value)) checkItems(name, path, value, depth)
      else checkProperties(name, path, value, depth)
      break
    default:
      throw refused(name, path, value, "a JSON value")
  }
}

function checkItems(name: string, path: string, items: readonly unknown[], depth: number): void {
  for (let i = 0; i < items.length; i++) checkValue(name, `${path}[${i}]`, items[i], depth + 1)
}

function checkProperties(name: string, path: string, value: object, depth: number): void {
  const prototype = Object.getPrototypeOf(value)
  if ((prototype !== null && prototype !== Object.prototype && Object.getPrototypeOf(prototype) !== null) || "toJSON" in value) {
    throw refused(name, path, value, `a plain object (a ${className(value)} would not come back as one; convert it first)`)
  }
  for (const [key, item] of Object.entries(value)) {
    if (key === "__proto__") throw refused(name, `${path}.__proto__`, item, "no property of that name")
    checkText(name, `${path} key`, key)
    if (item !== undefined) checkValue(name, `${path}.${key}`, item, depth + 1)
  }
}

/** Of an object out of JSON text its constructor may be anything. */
function className(value: object): string {
  const name: unknown = value.constructor?.name
  return typeof name === "string" ? cut(plain(name), 60) : "class"
}

function checkText(name: string, path: string, text: string): void {
  if (!text.isWellFormed()) throw refused(name, path, "text with a lone surrogate", "well-formed Unicode")
  if (text.includes("\u0000")) throw refused(name, path, "text with a NUL character", "text without NUL")
}

function refused(name: string, path: string, value: unknown, expected: string): SluiceError {
  // Keys are as long and as odd as whoever made them; of a value that is part of itself they have no end.
  return new SluiceError("invalid_input", `${name}${cut(plain(path), mostPath)}: expected ${expected}, got ${shown(value)}`)
}

/** The same for every order of properties: what "same input" means for an idempotency key. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) => {
    if (typeof item !== "object" || item === null || Array.isArray(item)) return item
    return Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
  })
}
