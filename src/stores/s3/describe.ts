// What the store says of itself, in the words of `sluice doctor`: among it what it asks of the server in a day, and what that costs at the list
// prices of AWS. An estimate: what the log has seen lately, and what every worker does by itself.

import type { StoreDescription } from "../../store/contract.ts"
import { statuses } from "../../task/index.ts"
import type { MemoryRecords } from "../memory/records.ts"
import type { Log } from "./log.ts"
import type { NamespaceOptions } from "./namespace.ts"

const dayMs = 86_400_000
/** Heard of within this, a worker counts as there. */
const aliveMs = 2 * 60_000
const mostWorkers = 1_000
/** What every worker does without being asked, by default: a look for what to sweep. */
const sweepEveryMs = 10_000
/** S3 Standard, us-east-1, in dollars a request. */
const prices = { write: 5e-6, read: 4e-7 }

export function describe(options: NamespaceOptions, log: Log, errorMs: number, nowMs: number, records: MemoryRecords): StoreDescription {
  const byStatus = records.counts({ type: null })
  const tasks = statuses.reduce((sum, status) => sum + byStatus[status], 0)
  const workers = records.workers(nowMs - aliveMs, mostWorkers).length
  const { writes, reads } = perDay(options, log, workers, nowMs)
  return {
    kind: "s3",
    namespace: options.name,
    durability: "as the bucket's: every change is an object before it is acknowledged",
    facts: {
      tasks,
      records: log.replica.number,
      workers,
      clock_error_ms: errorMs,
      estimated_writes_per_day: writes,
      estimated_reads_per_day: reads,
      estimated_dollars_per_day: (writes * prices.write + reads * prices.read).toFixed(2),
    },
  }
}

/** Each record is written once and read by every other worker. */
function perDay({ pollMs }: NamespaceOptions, { seen }: Log, workers: number, nowMs: number): { writes: number; reads: number } {
  const forMs = seen === null ? 0 : nowMs - seen.fromMs
  const writes = seen === null || forMs <= 0 ? 0 : Math.round((seen.records / forMs) * dayMs)
  return { writes, reads: Math.round(writes * Math.max(0, workers - 1) + workers * (dayMs / pollMs + dayMs / sweepEveryMs)) }
}
