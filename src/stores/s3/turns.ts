// Who writes next, where several want to. Nothing rests on it: the server decides. But a writer that has just won could win for ever, because
// whoever loses has to read its record first; and all who try at once pay for it. So a writer among others takes a turn of a few records,
// says in each how many are still to come, and then lets the others have theirs; they read along meanwhile, and try when it is over.

import type { World } from "../../world/index.ts"
import type { RecordHead } from "./record.ts"

/** Records of one turn. */
const turnRecords = 8
/** Others have written within this: one is not alone. */
const crowdedForMs = 1_000
/** So many round trips without a record, and a turn is over: its writer has nothing more to say, or is gone. */
const silentTrips = 2
const leastSilenceMs = 10

export type Advice = { readonly kind: "write"; readonly more: number } | { readonly kind: "read"; readonly pauseMs: number }

export class Turns {
  private readonly world: Pick<World, "monotonicMs" | "random">
  private readonly writer: string
  private left = 0
  private crowdedAtMs = Number.NEGATIVE_INFINITY
  private last: { readonly writer: string; readonly more: number; readonly atMs: number } | null = null

  constructor(world: Pick<World, "monotonicMs" | "random">, writer: string) {
    this.world = world
    this.writer = writer
  }

  /** A record was applied. */
  heard({ writer, more = 0 }: Pick<RecordHead, "writer" | "more">): void {
    const atMs = this.world.monotonicMs()
    if (writer !== this.writer) {
      this.crowdedAtMs = atMs
      this.left = 0
    }
    this.last = { writer, more, atMs }
  }

  /** Somebody else was first. */
  lost(): void {
    this.crowdedAtMs = this.world.monotonicMs()
    this.left = 0
  }

  /** `tripMs`: how long a request takes. */
  next(tripMs: number): Advice {
    const nowMs = this.world.monotonicMs()
    if (nowMs - this.crowdedAtMs > crowdedForMs) return { kind: "write", more: 0 }
    if (this.left > 0) return { kind: "write", more: --this.left }
    const silentMs = Math.max(leastSilenceMs, silentTrips * tripMs)
    const isTurn = this.last !== null && (this.last.more > 0 || this.last.writer === this.writer)
    if (isTurn && this.last && nowMs - this.last.atMs < silentMs) return { kind: "read", pauseMs: (tripMs / 2) * this.world.random() }
    this.left = turnRecords - 1
    return { kind: "write", more: this.left }
  }
}
