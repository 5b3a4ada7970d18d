// Who works, and what waits the longest: what live views and metrics ask for. Looks only.

import { budgets, type WaitingAnswer, type WaitingRequest, type WorkersAnswer, type WorkersRequest } from "./contract.ts"
import { declarationLivesMs } from "./policies.ts"
import type { Records } from "./records.ts"

export function reportWorkers(records: Records, { limit }: WorkersRequest): WorkersAnswer {
  const { nowMs } = records
  return { nowMs, workers: records.workers(nowMs - declarationLivesMs, Math.min(limit, budgets.listPage)) }
}

/** Those that expire are counted one by one: no more of them than this. */
const mostExpiring = 10_000

export function reportWaiting(records: Records, { afterSeq, expiringWithinMs, limit }: WaitingRequest): WaitingAnswer {
  const { nowMs } = records
  const expiring = records.expiring(nowMs + expiringWithinMs, Math.min(limit, mostExpiring))
  return { nowMs, ...records.firstPending(afterSeq), expiring }
}
