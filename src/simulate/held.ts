// What binds: for how long each limit, or the room of the workers, was what held the task that had waited longest.

import type { Holding } from "./gate.ts"

/** Null: nobody was free to run it. */
export type Holder = { readonly limit: number; readonly holding: Holding } | null

export interface HeldTime {
  readonly holder: Holder
  us: number
}

export class HeldTimes {
  private readonly byName = new Map<string, HeldTime>()

  add(holder: Holder, us: number): void {
    const name = nameOf(holder)
    const known = this.byName.get(name)
    if (known) known.us += us
    else this.byName.set(name, { holder, us })
  }

  all(): readonly HeldTime[] {
    return [...this.byName.values()]
  }
}

function nameOf(holder: Holder): string {
  if (!holder) return "workers"
  const { limit, holding } = holder
  return `${limit} ${holding.kind}${holding.kind === "rate" ? holding.index : ""}`
}
