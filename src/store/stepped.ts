// A store whose steps are those of this folder: it says how a step reads and how it writes, and the operations follow.

import type { NumberedEntry } from "../task/index.ts"
import { numberHistory } from "../task/index.ts"
import type { World } from "../world/index.ts"
import { agedExchange, agedHold, agedPermit } from "./aged.ts"
import type { HoldAnswer, HoldRequest } from "./calls-contract.ts"
import { changeLimit } from "./change-limit.ts"
import {
  budgets,
  type CountsAnswer,
  type CountsRequest,
  type ExchangeAnswer,
  type ExchangeRequest,
  type GetAnswer,
  type ListAnswer,
  type ListRequest,
  type MoveAnswer,
  type MoveRequest,
  type Store,
  type StoreDescription,
  type SubmitAnswer,
  type SubmitRequest,
  type SweepAnswer,
  type SweepRequest,
} from "./contract.ts"
import { exchange } from "./exchange.ts"
import { aheadOf, forecastTask } from "./forecast.ts"
import { hello } from "./hello.ts"
import { hold } from "./hold.ts"
import { changeJob, explainJob, reportJobs } from "./job-report.ts"
import type { ChangeJobRequest, JobsRequest } from "./jobs-contract.ts"
import type {
  ChangeLimitRequest,
  ChangesRequest,
  GatesRequest,
  HelloRequest,
  LimitsRequest,
  PermitAnswer,
  PermitRequest,
  RouteRequest,
  UnroutedRequest,
} from "./limits-contract.ts"
import { move } from "./move.ts"
import { permitAtGates } from "./passed.ts"
import type { Records } from "./records.ts"
import { explain, reportGates, reportLimits } from "./report.ts"
import { route } from "./route.ts"
import { changeSchedule, dueSchedules, fire, listSchedules, saveSchedule } from "./schedules.ts"
import type {
  ChangeScheduleRequest,
  DueSchedulesRequest,
  FireRequest,
  SaveScheduleRequest,
  SchedulesRequest,
} from "./schedules-contract.ts"
import { submit } from "./submit.ts"
import { sweep } from "./sweep.ts"

export abstract class SteppedStore implements Store {
  abstract readonly kind: string
  protected abstract readonly world: World
  abstract describe(): Promise<StoreDescription>
  abstract wait(request: { readonly workerId: string }, signal: AbortSignal): Promise<void>
  abstract close(): Promise<void>

  /** Runs the step on a consistent view; it changes nothing. */
  protected abstract read<T>(step: (records: Records) => T): Promise<T>
  /** Runs the step atomically; what it wrote is kept before the promise resolves, and those who wait hear of its news. */
  protected abstract write<T>(step: (records: Records) => T): Promise<T>

  /** A step that changes tasks may change who waits where: gates are closed behind it. */
  private step<T>(step: (records: Records) => T): Promise<T> {
    return this.write((records) => {
      const answer = step(records)
      records.jobs.close()
      records.gates.close()
      return answer
    })
  }

  hello(request: HelloRequest) {
    return this.step((records) => hello(records, request))
  }

  submit(request: SubmitRequest): Promise<SubmitAnswer> {
    return this.step((records) => submit(records, request))
  }

  unrouted({ types, limit }: UnroutedRequest) {
    return this.read((records) => ({ tasks: records.unrouted(types, Math.min(limit, budgets.routes)) }))
  }

  route(request: RouteRequest) {
    return this.step((records) => route(records, request))
  }

  async exchange(request: ExchangeRequest): Promise<ExchangeAnswer> {
    const askedAtMs = this.world.monotonicMs()
    let begunAtMs = askedAtMs
    const answer = await this.step((records) => {
      begunAtMs = this.world.monotonicMs()
      return exchange(records, agedExchange(request, begunAtMs - askedAtMs))
    })
    return { ...answer, waitedMs: begunAtMs - askedAtMs }
  }

  permit(request: PermitRequest): Promise<PermitAnswer> {
    const askedAtMs = this.world.monotonicMs()
    return this.step((records) => {
      const aged = agedPermit(request, this.world.monotonicMs() - askedAtMs)
      const task = records.load([request.id])[0]
      const isHeld = task?.status === "running" && task.fence === request.fence && records.nowMs < (task.leaseExpiresAtMs ?? 0)
      return task && isHeld ? permitAtGates(records, task, aged) : { kind: "stale" }
    })
  }

  hold(request: HoldRequest): Promise<HoldAnswer> {
    const askedAtMs = this.world.monotonicMs()
    return this.step((records) => {
      const waitedMs = this.world.monotonicMs() - askedAtMs
      return { ...hold(records, agedHold(request, waitedMs)), waitedMs }
    })
  }

  get({ ids }: { readonly ids: readonly string[] }): Promise<GetAnswer> {
    return this.read((records) => {
      const tasks = records.load(ids)
      return { tasks, forecasts: tasks.map((task) => task && forecastTask(records, task, aheadOf(records, task))) }
    })
  }

  explain({ id }: { readonly id: string }) {
    return this.read((records) => ({ explanation: explain(records, id) }))
  }

  jobs(request: JobsRequest) {
    return this.read((records) => reportJobs(records, { ...request, limit: Math.min(request.limit, budgets.listPage) }))
  }

  job({ id }: { readonly id: string }) {
    return this.read((records) => ({ detail: explainJob(records, id) }))
  }

  changeJob(request: ChangeJobRequest) {
    return this.step((records) => changeJob(records, request))
  }

  limits(request: LimitsRequest) {
    return this.read((records) => reportLimits(records, request))
  }

  gates(request: GatesRequest) {
    return this.read((records) => reportGates(records, { ...request, count: Math.min(request.count, budgets.listPage) }))
  }

  changeLimit(request: ChangeLimitRequest) {
    return this.step((records) => changeLimit(records, request))
  }

  limitChanges(request: ChangesRequest) {
    return this.read((records) => ({ changes: records.limits.changes({ ...request, count: Math.min(request.count, budgets.listPage) }) }))
  }

  forecastErrors() {
    return this.read((records) => records.limits.forecastErrors())
  }

  saveSchedule(request: SaveScheduleRequest) {
    return this.step((records) => saveSchedule(records, request))
  }

  schedules(request: SchedulesRequest) {
    return this.read((records) => listSchedules(records, request))
  }

  dueSchedules(request: DueSchedulesRequest) {
    return this.read((records) => dueSchedules(records, request))
  }

  changeSchedule(request: ChangeScheduleRequest) {
    return this.step((records) => changeSchedule(records, request))
  }

  fire(request: FireRequest) {
    return this.step((records) => fire(records, request))
  }

  list(request: ListRequest): Promise<ListAnswer> {
    return this.read((records) => records.list(request))
  }

  history({ id }: { readonly id: string }): Promise<{ readonly entries: readonly NumberedEntry[] | null }> {
    return this.read((records) => {
      const found = records.history(id)
      return { entries: found && numberHistory(found.entries, found.version) }
    })
  }

  counts(request: CountsRequest): Promise<CountsAnswer> {
    return this.read((records) => ({ byStatus: records.counts(request) }))
  }

  cancel(request: MoveRequest): Promise<MoveAnswer> {
    return this.step((records) => move(records, "cancel", request))
  }

  retry(request: MoveRequest): Promise<MoveAnswer> {
    return this.step((records) => move(records, "retry", request))
  }

  archive(request: MoveRequest): Promise<MoveAnswer> {
    return this.step((records) => move(records, "archive", request))
  }

  expire(request: MoveRequest): Promise<MoveAnswer> {
    return this.step((records) => move(records, "expire", request))
  }

  sweep(request: SweepRequest): Promise<SweepAnswer> {
    return this.step((records) => sweep(records, request))
  }

  now(): Promise<{ readonly nowMs: number }> {
    return this.read((records) => ({ nowMs: records.nowMs }))
  }
}
