// Loading the tasks that a module exports, TypeScript included: natively where the runtime strips types, else by jiti
// (no dependencies, no install step, used by many tools for just this).

import { resolve } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { SluiceError } from "../errors/index.ts"
import { type AnyTask, isTaskDefinition } from "../queue/definition.ts"

/** Newer than the types of the oldest runtime that is supported. */
const stripsTypes = Boolean((process.features as { readonly typescript?: unknown }).typescript)

/** Every exported value that is a task, in the module's order of names. Arrays of tasks are looked into. */
export async function loadTasks(path: string): Promise<AnyTask[]> {
  const url = urlOf(path)
  const exported = Object.values(await load(path, url)).flatMap((value) => (Array.isArray(value) ? value : [value]))
  const tasks = new Map<string, AnyTask>()
  for (const value of exported) {
    // A task that runs in a thread is loaded again there, from the same module.
    if (isTaskDefinition(value)) tasks.set(value.type, value.isolate && !value.module ? { ...value, module: url } : value)
  }
  if (tasks.size > 0) return [...tasks.values()]
  throw new SluiceError("invalid_module", `${path}: expected a module that exports tasks made by defineTask, found none`)
}

async function load(path: string, url: string): Promise<Record<string, unknown>> {
  try {
    return await importModule(url)
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    const missing = code === "ERR_MODULE_NOT_FOUND" || code === "MODULE_NOT_FOUND" || code === "ENOENT"
    throw new SluiceError(
      "invalid_module",
      `${path}: ${missing ? "expected a module, but" : "expected a module that loads, but"} ${message}`,
      { cause },
    )
  }
}

/** TypeScript or JavaScript, by its path or its URL. */
export async function importModule(path: string): Promise<Record<string, unknown>> {
  const url = urlOf(path)
  const isTypeScript = /\.[cm]?tsx?$/.test(url)
  if (!isTypeScript || stripsTypes) return (await import(url)) as Record<string, unknown>
  const { createJiti } = await import("jiti")
  return createJiti(url, { interopDefault: false }).import<Record<string, unknown>>(fileURLToPath(url))
}

function urlOf(path: string): string {
  return path.startsWith("file:") ? path : pathToFileURL(resolve(path)).href
}
