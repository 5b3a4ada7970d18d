// Shares within a hold: what a process says that it has, and what it is told. They are kept with their limit, so that a limit that nobody
// calls outside the queue pays nothing for them.

import { longestMemoryUs } from "../limits/index.ts"
import type { HoldRequest, ShareTold } from "./calls-contract.ts"
import { budgets } from "./contract.ts"
import { inForce, toldPolicy } from "./policies.ts"
import type { Records } from "./records.ts"
import { isAway, tellShare } from "./shares.ts"

export function sayShares(records: Records, { ownerId, leaseMs }: HoldRequest, list: HoldRequest["shares"]): void {
  const { limits, nowMs } = records
  for (const said of list) {
    const limit = limits.limit(said.limit)
    if (!limit) continue
    const before = limit.shares ?? []
    const memoryMs = Math.ceil(longestMemoryUs(inForce(limit, "", nowMs).policy) / 1_000)
    const shares = tellShare(before, { ...said, ownerId, leaseMs, memoryMs }, nowMs)
    const { shares: _before, ...others } = limit
    limits.saveLimit(shares.length > 0 ? { ...others, shares } : others)
    // What was kept for it is everybody's again.
    const own = before.find((one) => one.ownerId === ownerId)
    if (own && isAway(own, nowMs) && !said.isUsing) limits.hurry(said.limit)
  }
  if (list.length > 0) records.gates.forget()
}

export function shareOf(records: Records, ownerId: string, name: string): ShareTold | null {
  const limit = records.gates.limit(name)
  const own = limit?.shares?.find((one) => one.ownerId === ownerId)
  if (!limit || !own) return null
  const allowed = (key: string) => {
    const { policy, isPaused, closedUntilUs } = inForce(limit, key, records.nowMs)
    return { policy: toldPolicy(policy), closedMs: isPaused ? null : Math.max(0, Math.ceil(closedUntilUs / 1_000) - records.nowMs) }
  }
  // Sorted, so that their order does not matter: cut off, they are the same ones each time.
  const keys = [...Object.keys(limit.settings)].filter((key) => key !== "").sort()
  return {
    limit: name,
    ...own.told,
    whole: allowed(""),
    keys: Object.fromEntries(keys.slice(0, budgets.stepRows).map((key) => [key, allowed(key)])),
    leasesMs: records.gates.longestLeaseMs(name),
  }
}
