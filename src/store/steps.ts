// What each operation does with the records, wherever its step runs: in this process, in a transaction, or compiled to Lua in a
// server. Those under `changing` may write; behind them jobs are concluded and gates are closed, because a step that changes tasks may
// change who waits where.

import { numberHistory } from "../task/index.ts"
import { changeLimit } from "./change-limit.ts"
import { budgets, type Operation, type Store } from "./contract.ts"
import { exchange } from "./exchange.ts"
import { aheadOf, forecastTask } from "./forecast.ts"
import { hello } from "./hello.ts"
import { hold } from "./hold.ts"
import { changeJob, explainJob, reportJobs } from "./job-report.ts"
import type { Forecast } from "./limits-contract.ts"
import { move } from "./move.ts"
import { permitAtGates } from "./passed.ts"
import type { Records } from "./records.ts"
import { explain, reportGates, reportLimits } from "./report.ts"
import { route } from "./route.ts"
import { changeSchedule, dueSchedules, fire, listSchedules, saveSchedule } from "./schedules.ts"
import { submit } from "./submit.ts"
import { sweep } from "./sweep.ts"
import { reportWaiting, reportWorkers } from "./workers.ts"

type Call = { readonly [Name in Operation]: Store[Name] }
type Request<Name extends Operation> = Parameters<Call[Name]>[0]
/** How long a request waited before its step began, only whoever has sent it knows. */
type Answer<Name extends Operation> = Name extends "exchange" | "hold"
  ? Omit<Awaited<ReturnType<Call[Name]>>, "waitedMs">
  : Awaited<ReturnType<Call[Name]>>
type Steps<Name extends Operation> = { readonly [Each in Name]: (records: Records, request: Request<Each>) => Answer<Each> }

/** `describe` is no step; `get` answers with null for what is missing, which not every store can say alike: see getTasks. */
type Looking =
  | "unrouted"
  | "list"
  | "history"
  | "counts"
  | "jobs"
  | "job"
  | "explain"
  | "limits"
  | "gates"
  | "limitChanges"
  | "forecastErrors"
  | "workers"
  | "waiting"
  | "schedules"
  | "dueSchedules"
  | "now"
type Changing = Exclude<Operation, Looking | "describe" | "get">

export const looking: Steps<Looking> = {
  unrouted: (records, { types, limit }) => ({ tasks: records.unrouted(types, Math.min(limit, budgets.routes)) }),
  list: (records, request) => records.list(request),
  history: (records, { id }) => {
    const found = records.history(id)
    return { entries: found && numberHistory(found.entries, found.version) }
  },
  counts: (records, request) => ({ byStatus: records.counts(request) }),
  jobs: (records, request) => reportJobs(records, { ...request, limit: Math.min(request.limit, budgets.listPage) }),
  job: (records, { id }) => ({ detail: explainJob(records, id) }),
  explain: (records, { id }) => ({ explanation: explain(records, id) }),
  limits: (records, request) => reportLimits(records, request),
  gates: (records, request) => reportGates(records, { ...request, count: Math.min(request.count, budgets.listPage) }),
  limitChanges: (records, request) => ({
    changes: records.limits.changes({ ...request, count: Math.min(request.count, budgets.listPage) }),
  }),
  forecastErrors: (records) => records.limits.forecastErrors(),
  workers: (records, request) => reportWorkers(records, request),
  waiting: (records, request) => reportWaiting(records, request),
  schedules: (records, request) => listSchedules(records, request),
  dueSchedules: (records, request) => dueSchedules(records, request),
  now: ({ nowMs }) => ({ nowMs }),
}

export const changing: Steps<Changing> = {
  hello: (records, request) => hello(records, request),
  submit: (records, request) => submit(records, request),
  route: (records, request) => route(records, request),
  exchange: (records, request) => exchange(records, request),
  permit: (records, request) => {
    const task = records.load([request.id]).get(request.id)
    const isHeld = task?.status === "running" && task.fence === request.fence && records.nowMs < (task.leaseExpiresAtMs ?? 0)
    return task && isHeld ? permitAtGates(records, task, request) : { kind: "stale" }
  },
  hold: (records, request) => hold(records, request),
  cancel: (records, request) => move(records, "cancel", request),
  retry: (records, request) => move(records, "retry", request),
  archive: (records, request) => move(records, "archive", request),
  expire: (records, request) => move(records, "expire", request),
  changeJob: (records, request) => changeJob(records, request),
  changeLimit: (records, request) => changeLimit(records, request),
  saveSchedule: (records, request) => saveSchedule(records, request),
  changeSchedule: (records, request) => changeSchedule(records, request),
  fire: (records, request) => fire(records, request),
  sweep: (records, request) => sweep(records, request),
}

/** Those that are there, and when the pending ones are expected to start. */
export function getTasks(records: Records, ids: readonly string[]) {
  const tasks = records.load(ids)
  const forecasts = new Map<string, Forecast>()
  for (const [id, task] of tasks) {
    const forecast = forecastTask(records, task, aheadOf(records, task))
    if (forecast) forecasts.set(id, forecast)
  }
  return { tasks, forecasts }
}

/** Behind every step that changes something. */
export function endStep(records: Records): void {
  records.jobs.close()
  records.gates.close()
}

export function change<T>(records: Records, step: (records: Records) => T): T {
  const answer = step(records)
  endStep(records)
  return answer
}
