// When tasks start, if a worker claims at every moment that the store names and is done with each at once.

import { ok } from "node:assert/strict"
import type { ClaimRequest } from "../../store/exchange-contract.ts"
import type { TaskRecord } from "../../task/index.ts"
import type { Bench } from "./kit.ts"
import { completed, said } from "./outcomes.ts"

export interface Start {
  readonly task: TaskRecord
  readonly atMs: number
}

/** Until the store names no further moment. */
export async function starts(bench: Bench, fields: Partial<ClaimRequest> = {}, workerId = "starter"): Promise<readonly Start[]> {
  const worker = bench.worker(workerId)
  const found: Start[] = []
  for (let round = 0; ; round++) {
    ok(round < 500, "expected the claims to come to an end")
    const { claimed, more, nextAtMs, nowMs } = await worker.look(fields)
    found.push(...claimed.map((task) => ({ task, atMs: nowMs })))
    await worker.exchange({ settles: claimed.map((task) => said(task, completed())) })
    if (more) continue
    if (nextAtMs === null) return found
    ok(nextAtMs > nowMs, `expected a moment that is still to come, got one ${nowMs - nextAtMs} ms ago`)
    await bench.world.advance(nextAtMs - nowMs)
  }
}

/** How long after the given time each of them started, in the order in which they did. */
export function offsets(list: readonly Start[], fromMs: number): number[] {
  return list.map(({ atMs }) => atMs - fromMs)
}

/** No interval of the window's length, wherever it begins, has more starts than the limit. */
export function neverAbove(list: readonly Start[], limit: number, perMs: number): void {
  const times = list.map(({ atMs }) => atMs).sort((a, b) => a - b)
  for (const [i, atMs] of times.entries()) {
    const next = times[i + limit]
    ok(
      next === undefined || next - atMs >= perMs,
      `expected at most ${limit} starts in ${perMs} ms, got one more after ${(next ?? 0) - atMs} ms`,
    )
  }
}
