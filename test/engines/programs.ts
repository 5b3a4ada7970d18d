// Where programs of the tests' own are: on the path, or in the folders where packages and people put them.

import { accessSync, constants } from "node:fs"
import { delimiter, join } from "node:path"

export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

export function foldersOnPath(): readonly string[] {
  return (process.env.PATH ?? "").split(delimiter).filter((folder) => folder !== "")
}

/** The first of these names that is there, on the path before anywhere else. */
export function findProgram(names: readonly string[], folders: readonly string[]): string | null {
  const places = [...foldersOnPath(), ...folders]
  return names.flatMap((name) => places.map((place) => join(place, name))).find(isProgram) ?? null
}
