// An image of the records: lines of plain values from which the same records are made again, to the last tie. A line is its kind and what
// belongs to it. Indexes are not in it, because they follow; orders that decide something are.

/** A finished task is a row (row.ts): text already. */
export type ImageLine = readonly [kind: "finished", row: string] | readonly [kind: string, ...values: readonly unknown[]]

/** Takes the lines of its kinds, in the order in which they were told. */
export type Restore = Readonly<Record<string, (...values: never[]) => void>>

const finished = '["finished",'

/** JSON, as each line is. */
export function toText(line: ImageLine): string {
  return line[0] === "finished" ? `${finished}${line[1]}]` : JSON.stringify(line)
}

export function fromText(text: string): ImageLine {
  return text.startsWith(finished) ? ["finished", text.slice(finished.length, -1)] : (JSON.parse(text) as ImageLine)
}
