// Finding files below a folder, for the scripts beside this one.
import { readdirSync } from "node:fs"
import { join } from "node:path"

/** Every file below the folder, as paths that start with it, in a stable order. */
export function filesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort()
}
