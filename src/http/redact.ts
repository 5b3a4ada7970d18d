// What must not be shown: paths into inputs, outputs and progress, such as "input.password" or "input.users.*.token". Applied to every
// document before it leaves, and to the texts of errors that quote what was taken out. Workers get everything: they have to run it.

import { SluiceError, shown } from "../errors/index.ts"

const roots = ["input", "output", "progress"] as const
const mask = "[redacted]"
/** A shorter text would be found where it is not meant. */
const shortestQuoted = 4
const mostDepth = 200

type Path = readonly string[]
export type Redact = <T>(document: T) => T

export function redactor(paths: readonly string[]): Redact {
  if (paths.length === 0) return (document) => document
  const read = paths.map(parsePath)
  return (document) => redactDocument(document, read) as typeof document
}

/** The same for texts that may quote what a task has: those of its history. */
export function redactTexts<T>(redact: Redact, task: object, value: T): T {
  const text = (quoting: string) => (redact({ ...task, last_error: quoting }) as { readonly last_error: string }).last_error
  if (typeof value === "string") return text(value) as T
  if (Array.isArray(value)) return value.map((item) => redactTexts(redact, task, item)) as T
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, redactTexts(redact, task, item)])) as T
}

function parsePath(text: string): Path {
  const parts = typeof text === "string" ? text.split(".") : []
  if (parts.length > 1 && (roots as readonly string[]).includes(parts[0] ?? "") && parts.every((part) => part !== "")) return parts
  throw new SluiceError(
    "invalid_option",
    `redact: expected a path such as "input.password" or "output.users.*.token" that begins with ${roots.join(", ")}, got ${shown(text)}`,
  )
}

/** Documents are copied where something in them is taken out. Those within others (the tasks of a page) are found by their shape. */
function redactDocument(value: unknown, paths: readonly Path[]): unknown {
  if (Array.isArray(value)) return value.map((item) => redactDocument(item, paths))
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value
  const isTask = "task_type" in value && "input" in value
  const entries = Object.entries(value)
  if (!isTask) return Object.fromEntries(entries.map(([name, item]) => [name, redactDocument(item, paths)]))
  const taken: string[] = []
  const cleaned = Object.fromEntries(
    entries.map(([name, item]) => [
      name,
      takeOut(
        item,
        paths.filter(([root]) => root === name).map((path) => path.slice(1)),
        taken,
      ),
    ]),
  )
  const quoted = taken.filter((text) => text.length >= shortestQuoted)
  if (typeof cleaned.last_error === "string")
    cleaned.last_error = quoted.reduce((text, one) => text.replaceAll(one, mask), cleaned.last_error)
  return cleaned
}

function takeOut(value: unknown, paths: readonly Path[], taken: string[], depth = 0): unknown {
  if (paths.length === 0 || depth > mostDepth) return value
  if (paths.some((path) => path.length === 0)) {
    collect(value, taken, depth)
    return value === null || value === undefined ? value : mask
  }
  if (typeof value !== "object" || value === null) return value
  const below = (name: string) => paths.filter(([first]) => first === "*" || first === name).map((path) => path.slice(1))
  if (Array.isArray(value)) return value.map((item, i) => takeOut(item, below(String(i)), taken, depth + 1))
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, takeOut(item, below(name), taken, depth + 1)]))
}

/** Every text in what was taken out, to be found again in messages that quote it. */
function collect(value: unknown, taken: string[], depth: number): void {
  if (depth > mostDepth) return
  if (typeof value === "string") taken.push(value)
  else if (typeof value === "number") taken.push(String(value))
  else if (typeof value === "object" && value !== null) for (const item of Object.values(value)) collect(item, taken, depth + 1)
}
