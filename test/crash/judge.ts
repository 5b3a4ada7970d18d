// What must hold once everything has been worked off after a crash: by the history checker, and said directly.

import { deepEqual, equal } from "node:assert/strict"
import type { Store } from "../../src/store/index.ts"
import { checkHistory, type HistoryEvent, type HistoryReport } from "../../src/testing/index.ts"
import { judgeJobs } from "./jobs.ts"
import { judgeInstants } from "./schedules.ts"
import { limits } from "./tasks.ts"

/** A handler starts in the millisecond of its claim, or not at all. */
const startWithinMs = 1

export async function judge(events: readonly HistoryEvent[], observer: Store, message: string): Promise<HistoryReport> {
  const acked = events.flatMap((event) => (event.op === "submit" && event.phase === "ok" ? event.tasks : []))
  const ids = acked.flatMap(({ stored }) => stored ?? [])
  const { tasks } = await observer.get({ ids })
  deepEqual(
    ids.filter((_id, i) => tasks[i] === null),
    [],
    `${message}: a task that was acknowledged is gone`,
  )
  for (const limit of Object.keys(limits)) {
    const { gates } = await observer.gates({ limit, keys: null, afterKey: null, count: 1_000 })
    for (const { gate, slots, waitingTasks } of gates) {
      deepEqual([slots?.held ?? 0, waitingTasks], [0, 0], `${message}: gate ${gate} is held or waited for, and nothing is left`)
    }
  }
  await judgeJobs(observer, message)
  await judgeInstants(observer, message)
  const report = checkHistory(events, { startWithinMs })
  equal(report.violations.map(({ kind, message: what }) => `${kind}: ${what}`).join("\n"), "", `${message}: the history checker objects`)
  return report
}
