// Colours of statuses, only where somebody looks at a terminal and has not said NO_COLOR (no-color.org).

import type { Io, Output } from "./io.ts"

const codes = { red: 31, green: 32, yellow: 33, cyan: 36, grey: 90 } as const
export type Colour = keyof typeof codes
export type Paint = (colour: Colour | null, text: string) => string

export function paintFor(io: Io, output: Output): Paint {
  const isPlain = !output.isTTY || (io.env.NO_COLOR ?? "") !== "" || io.env.TERM === "dumb"
  return (colour, text) => (isPlain || colour === null ? text : `\u001b[${codes[colour]}m${text}\u001b[0m`)
}

const ofWord: Readonly<Record<string, Colour>> = {
  running: "cyan",
  completed: "green",
  failed: "red",
  expired: "yellow",
  cancelled: "grey",
  archived: "grey",
  retried: "yellow",
  rescheduled: "yellow",
  throttled: "yellow",
  ok: "green",
  warn: "yellow",
  error: "red",
}

/** The colour of a status, of what became of a run, or of how a check went. */
export function colourOf(word: string): Colour | null {
  return ofWord[word] ?? null
}
