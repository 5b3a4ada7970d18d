// Who is about to write, in which order, as the log itself tells it: whoever says that it will write again stands in a row, and the one that
// has waited longest has the next number, the one behind it the number after that. So those who write at the same time write beside each
// other, each at a number of its own. Pure. Nothing rests on it: two who take the row for another one race, and the server decides.

import type { RecordHead } from "./record.ts"

export class Crowd {
  private row: readonly string[] = []

  get size(): number {
    return this.row.length
  }

  /** 0 is the one whose number is next; -1 for one that does not stand in the row. */
  placeOf(writer: string): number {
    return this.row.indexOf(writer)
  }

  /** Whose number is so many behind the next. */
  at(place: number): string | undefined {
    return this.row[place % this.row.length]
  }

  /** A record of the log, in its order. */
  heard({ writer, again, over, without }: Pick<RecordHead, "writer" | "again" | "over" | "without">): void {
    if (without !== undefined) this.row = this.row.filter((one) => one !== without)
    // Its number was taken by a newcomer: it has the one that it would have had next.
    if (over !== undefined && this.row.includes(over)) this.row = [...this.row.filter((one) => one !== over), over]
    // Whoever has written at the number of one that stays silent still has its own.
    if (without !== undefined && this.row.includes(writer)) return
    const others = this.row.filter((one) => one !== writer)
    this.row = again ? [...others, writer] : others
  }

  clear(): void {
    this.row = []
  }
}
