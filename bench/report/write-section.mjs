// Rewrites one section of a document: what stands between its two markers, and nothing else.
import { readFileSync, writeFileSync } from "node:fs"

export function writeSection(path, name, text) {
  const [from, to] = [`<!-- ${name}: begin -->`, `<!-- ${name}: end -->`]
  const document = readFileSync(path, "utf8")
  const [start, end] = [document.indexOf(from), document.indexOf(to)]
  if (start < 0 || end < start) throw new Error(`${path}: expected the markers ${from} and ${to}, in this order`)
  writeFileSync(path, `${document.slice(0, start + from.length)}\n\n${text}\n\n${document.slice(end)}`)
}
