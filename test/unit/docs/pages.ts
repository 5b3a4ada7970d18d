// The pages of this repository, for the tests that hold them to what is true.

import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

const folders = ["docs", "examples", "bench"]

/** Every page that people read, by its path. */
export function pages(): Map<string, string> {
  const below = (folder: string) =>
    readdirSync(folder, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith(".md") && !entry.parentPath.includes("node_modules"))
      .map((entry) => join(entry.parentPath, entry.name))
  const top = readdirSync(".").filter((name) => name.endsWith(".md"))
  return new Map([...top, ...folders.flatMap(below)].sort().map((path) => [path, readFileSync(path, "utf8")]))
}

export interface Block {
  readonly path: string
  readonly kind: string
  readonly text: string
}

export function blocks(kind: string): Block[] {
  return [...pages()].flatMap(([path, page]) =>
    [...page.matchAll(/^```(\w*)\n([\s\S]*?)^```/gm)]
      .filter(([, found]) => found === kind)
      .map(([, , text = ""]) => ({ path, kind, text })),
  )
}
