// A table with a heading in grey, as wide as the terminal at most.

import type { Session } from "./session.ts"
import { type Cell, table } from "./table.ts"

export function headed(
  session: Session,
  names: readonly string[],
  rows: readonly (readonly (Cell | string)[])[],
  right: readonly number[] = [],
): string[] {
  const heading = names.map((text) => ({ text, paint: (shown: string) => session.paint("grey", shown) }))
  const cells = rows.map((row) => row.map((cell) => (typeof cell === "string" ? { text: cell } : cell)))
  return table([heading, ...cells], { right, width: session.io.stdout.columns })
}
