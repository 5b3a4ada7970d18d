// A table for people: columns as wide as what is in them, the last one cut where the terminal ends.

export interface Cell {
  readonly text: string
  /** Applied after the widths are known: colours have none. */
  readonly paint?: (text: string) => string
}

export interface TableOptions {
  /** Columns whose cells stand at the right: numbers. */
  readonly right?: readonly number[]
  readonly width: number | null
}

export function table(rows: readonly (readonly Cell[])[], { right = [], width }: TableOptions): string[] {
  const columns = Math.max(0, ...rows.map((row) => row.length))
  const widths = Array.from({ length: columns }, (_, i) => Math.max(...rows.map((row) => row[i]?.text.length ?? 0)))
  return rows.map((row) => {
    let left = width ?? Number.POSITIVE_INFINITY
    const cells = row.map(({ text, paint }, i) => {
      const isLast = i === columns - 1
      const shown = isLast ? cut(text, left) : text
      const space = " ".repeat(Math.max(0, (widths[i] ?? 0) - shown.length))
      left -= (widths[i] ?? 0) + 2
      const painted = paint ? paint(shown) : shown
      if (right.includes(i)) return space + painted
      return isLast ? painted : painted + space
    })
    return cells.join("  ").trimEnd()
  })
}

function cut(text: string, width: number): string {
  return text.length <= width ? text : width < 4 ? "" : `${text.slice(0, width - 3)}...`
}
