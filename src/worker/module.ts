// Loading the tasks that a module exports. TypeScript by jiti (no dependencies, no install step, used by many tools for just this),
// also where the runtime could strip types: that needs `"type": "module"` beside it, which `npm init` does not write, and every import
// with its extension. So a module loads on every runtime or on none.

import { resolve } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { SluiceError, shown } from "../errors/index.ts"
import { type AnyTask, isTaskDefinition } from "../queue/definition.ts"

/** Every exported value that is a task, in the module's order of names. Arrays of tasks are looked into. */
export async function loadTasks(path: string): Promise<AnyTask[]> {
  const url = urlOf(path)
  const exported = Object.values(await load(path, url)).flatMap((value) => (Array.isArray(value) ? value : [value]))
  const tasks = new Map<string, AnyTask>()
  for (const value of exported) {
    if (!isTaskDefinition(value)) continue
    // One task may be exported by several names; which of two would run is nobody's to guess.
    const other = tasks.get(value.type)
    if (other && other !== value)
      throw new SluiceError("invalid_module", `${path}: expected one task of each type, found two of type ${value.type}; rename one`)
    tasks.set(value.type, value)
  }
  // A task that runs in a thread is loaded again there, from the same module.
  if (tasks.size > 0) return [...tasks.values()].map((task) => (task.isolate && !task.module ? { ...task, module: url } : task))
  throw new SluiceError("invalid_module", `${path}: expected a module that exports tasks made by defineTask, found none`)
}

async function load(path: string, url: string): Promise<Record<string, unknown>> {
  try {
    return await importModule(url)
  } catch (cause) {
    const { code } = (cause ?? {}) as NodeJS.ErrnoException
    const missing = code === "ERR_MODULE_NOT_FOUND" || code === "MODULE_NOT_FOUND" || code === "ENOENT"
    throw new SluiceError(
      "invalid_module",
      `${path}: ${missing ? "expected a module, but" : "expected a module that loads, but"} ${loadErrorText(cause)}`,
      { cause },
    )
  }
}

/** A module may throw anything; where it happened is said too, because it may be in a module that this one imports. */
export function loadErrorText(cause: unknown): string {
  if (!(cause instanceof Error)) return `it threw ${shown(cause)}`
  const place = placeIn(cause.stack ?? "")
  return place === null || cause.message.includes(place) ? cause.message : `${cause.message} (${place})`
}

const own = fileURLToPath(new URL("../", import.meta.url))

/** Of a mistake in syntax the stack begins with the place; else it is the first frame in a file of the user's. */
function placeIn(stack: string): string | null {
  const [first = "", ...frames] = stack.split("\n")
  const syntax = /^(?:file:\/\/)?(\/.+:\d+)$/.exec(first)?.[1]
  if (syntax !== undefined) return syntax
  const places = frames.flatMap((frame) => /^ +at (?:async |.*\()?(?:file:\/\/)?(\/.*:\d+:\d+)\)?$/.exec(frame)?.[1] ?? [])
  return places.find((place) => !place.startsWith(own) && !place.includes("/node_modules/")) ?? null
}

/** TypeScript or JavaScript, by its path or its URL. */
export async function importModule(path: string): Promise<Record<string, unknown>> {
  const url = urlOf(path)
  if (!/\.[cm]?tsx?$/.test(url)) return (await import(url)) as Record<string, unknown>
  const { createJiti } = await import("jiti")
  return createJiti(url, { interopDefault: false }).import<Record<string, unknown>>(fileURLToPath(url))
}

function urlOf(path: string): string {
  return path.startsWith("file:") ? path : pathToFileURL(resolve(path)).href
}
