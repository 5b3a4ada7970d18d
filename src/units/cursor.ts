// Cursors: where a page ended, for people to hand back. Opaque to them, so that they may change; with a checksum, so that one that
// was cut short or altered on the way is refused and never misread.

import { SluiceError, shown } from "../errors/index.ts"

/** `kind` tells apart what is paged: the cursor of one list means nothing to another. */
export function formatCursor(kind: string, value: string): string {
  const text = `${kind}:${value}`
  return Buffer.from(`${checksum(text)}:${text}`).toString("base64url")
}

export function parseCursor(kind: string) {
  return (name: string, value: unknown): string => {
    const text = typeof value === "string" ? Buffer.from(value, "base64url").toString() : ""
    const found = text.slice(text.indexOf(":") + 1 + kind.length + 1)
    // Written anew and compared: whatever reads alike and is not alike is refused.
    if (text !== "" && formatCursor(kind, found) === value) return found
    throw new SluiceError("invalid_cursor", `${name}: expected the cursor of the page before, got ${shown(value)}`)
  }
}

/** FNV-1a: against accidents, not against forgers, who would gain nothing. */
function checksum(text: string): string {
  let sum = 0x811c9dc5
  for (let i = 0; i < text.length; i++) sum = Math.imul(sum ^ text.charCodeAt(i), 0x01000193)
  return (sum >>> 0).toString(36)
}
