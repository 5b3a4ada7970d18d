// How many tasks have come to a status during a step, less how many have left it: for stores that keep the counts and write what has changed
// when the step ends.

import type { Status } from "../task/index.ts"

export interface StatusMove {
  readonly type: string
  readonly status: Status
  /** Never 0. */
  readonly more: number
}

export class StatusMoves {
  private readonly byType = new Map<string, Map<Status, number>>()

  remove(type: string, status: Status): void {
    this.count(type, status, -1)
  }

  /** Null: it was not there before. */
  move(type: string, from: Status | null, to: Status): void {
    if (from === to) return
    if (from !== null) this.count(type, from, -1)
    this.count(type, to, 1)
  }

  /** Told once. */
  protected take(): StatusMove[] {
    const moves = [...this.byType].flatMap(([type, byStatus]) => [...byStatus].map(([status, more]) => ({ type, status, more })))
    this.byType.clear()
    return moves.filter(({ more }) => more !== 0)
  }

  private count(type: string, status: Status, more: number): void {
    const byStatus = this.byType.get(type) ?? new Map<Status, number>()
    this.byType.set(type, byStatus)
    byStatus.set(status, (byStatus.get(status) ?? 0) + more)
  }
}
