// C1 and C7 where tasks come from: what was acknowledged, and under which key.

import type { Looked, Submitted } from "./events.ts"
import type { Violation } from "./report.ts"

export class Submissions {
  /** Acknowledged tasks, with the first time at which somebody was told so. */
  readonly acked = new Map<string, number>()
  private readonly byKey = new Map<string, string>()
  private readonly problems: Violation[] = []

  add({ phase, tasks, atMs }: Submitted): void {
    if (phase !== "ok") return
    for (const { key, stored } of tasks) {
      if (stored === null) continue
      this.acked.set(stored, Math.min(this.acked.get(stored) ?? atMs, atMs))
      if (key !== null) this.note(key, stored)
    }
  }

  private note(key: string, id: string): void {
    const known = this.byKey.get(key)
    if (known === undefined) this.byKey.set(key, id)
    else if (known !== id) this.problems.push({ kind: "double_key", about: id, message: `key ${key} stands for ${known} and for ${id}` })
  }

  judge(look: Looked | null): Violation[] {
    const found = [...this.problems]
    if (!look) return found
    const there = new Set(look.tasks.map(({ id }) => id))
    for (const [id, atMs] of this.acked) {
      if (atMs <= look.atMs && !there.has(id)) {
        found.push({ kind: "lost", about: id, message: `task ${id} was acknowledged at ${atMs}, and the store does not know it` })
      }
    }
    const keys = new Map<string, string>()
    for (const { id, key } of look.tasks) {
      const other = key === null ? undefined : keys.get(key)
      if (other) found.push({ kind: "double_key", about: id, message: `tasks ${other} and ${id} have the key ${key}` })
      if (key !== null) keys.set(key, id)
    }
    return found
  }
}
