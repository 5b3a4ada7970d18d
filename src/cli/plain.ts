// Text of others (error messages, outputs, reasons) on somebody's terminal: one line, and nothing that a terminal obeys.

import { plain } from "../errors/index.ts"

export { plain }

/** A message is read, not scrolled: of one that quotes something very long both ends are kept. */
const mostCharacters = 1_000

/** For a message that wraps: one line, its breaks as spaces. */
export function oneLine(text: string): string {
  const lines = text.split(/[\r\n]+/).map((line) => line.trim())
  const line = plain(lines.filter((one) => one !== "").join(" "))
  if (line.length <= mostCharacters) return line
  return `${line.slice(0, 600)} ... ${line.slice(-(mostCharacters - 605))}`.toWellFormed()
}
