// The script and the shapes of its answers, beside this module: both are made from TypeScript when Sluice is built (scripts/lua).

import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import type { Shapes } from "./answers.ts"

export interface Script {
  readonly text: string
  /** What the server calls it by. */
  readonly sha: string
  readonly shapes: Shapes
}

let read: Script | null = null

export function readScript(): Script {
  read ??= scriptOf(beside("sluice.lua"), JSON.parse(beside("shapes.json")))
  return read
}

export function scriptOf(text: string, shapes: Shapes): Script {
  return { text, sha: createHash("sha1").update(text).digest("hex"), shapes }
}

function beside(name: string): string {
  return readFileSync(new URL(name, import.meta.url), "utf8")
}
