// The process that all lines to the server lead through. A process of its own: it has to be quick while its parent judges.

import { type Cut, Line } from "./line.ts"

export interface LinesSettings {
  /** Of the server. */
  readonly port: number
  readonly count: number
}

export interface ToLines {
  readonly id: number
  readonly line: number
  readonly how: Cut
  readonly ms: number
}

export type FromLines = { readonly kind: "listening"; readonly ports: readonly number[] } | { readonly kind: "over"; readonly id: number }

process.on("disconnect", () => process.exit())
const { port, count } = JSON.parse(process.argv[2] ?? "{}") as LinesSettings
const say = (message: FromLines) => void process.send?.(message)
const lines = Array.from({ length: count }, () => new Line(port))
process.on("message", ({ id, line, how, ms }: ToLines) => void lines[line]?.cut(how, ms).then(() => say({ kind: "over", id })))
say({ kind: "listening", ports: await Promise.all(lines.map((line) => line.listen())) })
