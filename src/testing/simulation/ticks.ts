// A schedule through all trouble: none of its instants is left out, none comes twice, none comes early.

import type { Store } from "../../store/index.ts"
import type { Violation } from "../checker/index.ts"

export const tickingName = "ticking"
const prefix = `schedule:${tickingName}:`
const everything = {
  statuses: null,
  type: null,
  tag: null,
  jobId: null,
  createdFromMs: null,
  createdBeforeMs: null,
  beforeSeq: null,
  limit: 1_000,
}

/** Of two that have the same key the history checker tells. */
export async function judgeTicks(store: Store, everySeconds: number): Promise<Violation[]> {
  const { schedules } = await store.schedules({ names: [tickingName], afterName: null, count: 1 })
  const [schedule] = schedules
  if (!schedule) return []
  const { tasks } = await store.list(everything)
  const ticks = tasks.flatMap(({ id, idempotencyKey: key, createdAtMs }) =>
    key?.startsWith(prefix) ? [{ id, createdAtMs, atMs: Date.parse(key.slice(prefix.length)) }] : [],
  )
  ticks.sort((a, b) => a.atMs - b.atMs)
  const wrong: Violation[] = []
  const tell = (atMs: number, what: string) =>
    wrong.push({
      kind: "lost",
      about: tickingName,
      message: `schedule ${tickingName}: the instant ${new Date(atMs).toISOString()} ${what}`,
    })
  for (const [i, { atMs, createdAtMs }] of ticks.entries()) {
    const next = ticks[i + 1]
    if (next && next.atMs !== atMs + everySeconds * 1_000) tell(atMs + everySeconds * 1_000, "was left out")
    if (createdAtMs < atMs) tell(atMs, "came early")
  }
  const { lastAtMs } = schedule
  if (lastAtMs !== null && lastAtMs !== ticks.at(-1)?.atMs) tell(lastAtMs, "is taken to be the last, and is not")
  return wrong
}
