// Routes: tasks that were submitted without the code get their gates from somebody who has it.

import { copyTask } from "../task/copy.ts"
import { type Change, failUnrouted, routeTask, withJobGate } from "../task/index.ts"
import { Arrivals, forecastTask } from "./forecast.ts"
import type { RouteAnswer, RouteRequest } from "./limits-contract.ts"
import type { Records } from "./records.ts"

export function route(records: Records, { routes }: RouteRequest): RouteAnswer {
  const found = records.load(routes.map(({ id }) => id))
  const changes = new Map<string, Change>()
  const arrivals = new Arrivals(records)
  const results = routes.map((asked): RouteAnswer["results"][number] => {
    const task = found.get(asked.id)
    if (task?.status !== "pending" || task.gates !== null || changes.has(task.id)) return { kind: "stale" }
    if ("error" in asked) {
      changes.set(task.id, failUnrouted(task, records.nowMs, asked.error))
      records.jobs.tell(task, { kind: "failed", status: null })
      return { kind: "ok" }
    }
    const wrong = records.gates.check(asked.gates)
    if (wrong) return wrong
    const gates = withJobGate(asked.gates, task.jobId === null ? null : records.jobs.get(task.jobId))
    const { task: routed, entries } = routeTask(task, gates, asked.flow)
    const forecast = forecastTask(records, routed, arrivals.aheadOf(routed))
    if (routed.availableAtMs <= records.nowMs) arrivals.add(routed)
    const told = copyTask(routed)
    told.forecastAtMs = gates.length > 0 ? (forecast?.atMs ?? null) : null
    changes.set(task.id, { task: told, entries })
    return { kind: "ok" }
  })
  records.save([...changes.values()])
  return { results }
}
