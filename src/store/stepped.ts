// A store whose steps run in this process: it says how a step reads and how it writes, and the operations follow. Where records have
// to be waited for, a step answers with a promise, whatever its type says: such a store runs the steps that are compiled to wait, and
// awaits them.

import type { World } from "../world/index.ts"
import { agedExchange, agedHold, agedPermit } from "./aged.ts"
import type { HoldAnswer, HoldRequest } from "./calls-contract.ts"
import type {
  CountsRequest,
  GetAnswer,
  ListRequest,
  MoveRequest,
  Store,
  StoreDescription,
  SubmitRequest,
  SweepRequest,
  WaitingRequest,
  WorkersRequest,
} from "./contract.ts"
import type { ExchangeAnswer, ExchangeRequest } from "./exchange-contract.ts"
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
import type { Records } from "./records.ts"
import type {
  ChangeScheduleRequest,
  DueSchedulesRequest,
  FireRequest,
  SaveScheduleRequest,
  SchedulesRequest,
} from "./schedules-contract.ts"
import * as steps from "./steps.ts"

export abstract class SteppedStore implements Store {
  abstract readonly kind: string
  protected abstract readonly world: World
  /** What each operation does. */
  protected readonly steps: typeof steps = steps
  abstract describe(): Promise<StoreDescription>
  abstract wait(request: { readonly workerId: string }, signal: AbortSignal): Promise<void>
  abstract close(): Promise<void>

  /** Runs the step on a consistent view; it changes nothing. */
  protected abstract read<T>(step: (records: Records) => T): Promise<T>
  /** Runs the step atomically; what it wrote is kept before the promise resolves, and those who wait hear of its news. */
  protected abstract write<T>(step: (records: Records) => T): Promise<T>

  private change<T>(step: (records: Records) => T): Promise<T> {
    return this.write((records) => this.steps.change(records, step))
  }

  async exchange(request: ExchangeRequest): Promise<ExchangeAnswer> {
    const askedAtMs = this.world.monotonicMs()
    let begunAtMs = askedAtMs
    const answer = await this.change((records) => {
      begunAtMs = this.world.monotonicMs()
      return this.steps.changing.exchange(records, agedExchange(request, begunAtMs - askedAtMs))
    })
    return { ...answer, waitedMs: begunAtMs - askedAtMs }
  }

  permit(request: PermitRequest): Promise<PermitAnswer> {
    const askedAtMs = this.world.monotonicMs()
    return this.change((records) => this.steps.changing.permit(records, agedPermit(request, this.world.monotonicMs() - askedAtMs)))
  }

  async hold(request: HoldRequest): Promise<HoldAnswer> {
    const askedAtMs = this.world.monotonicMs()
    let begunAtMs = askedAtMs
    const answer = await this.change((records) => {
      begunAtMs = this.world.monotonicMs()
      return this.steps.changing.hold(records, agedHold(request, begunAtMs - askedAtMs))
    })
    return { ...answer, waitedMs: begunAtMs - askedAtMs }
  }

  async get({ ids }: { readonly ids: readonly string[] }): Promise<GetAnswer> {
    const { tasks, forecasts } = await this.read((records) => this.steps.getTasks(records, ids))
    return { tasks: ids.map((id) => tasks.get(id) ?? null), forecasts: ids.map((id) => forecasts.get(id) ?? null) }
  }

  hello(request: HelloRequest) {
    return this.change((records) => this.steps.changing.hello(records, request))
  }

  submit(request: SubmitRequest) {
    return this.change((records) => this.steps.changing.submit(records, request))
  }

  unrouted(request: UnroutedRequest) {
    return this.read((records) => this.steps.looking.unrouted(records, request))
  }

  route(request: RouteRequest) {
    return this.change((records) => this.steps.changing.route(records, request))
  }

  list(request: ListRequest) {
    return this.read((records) => this.steps.looking.list(records, request))
  }

  history(request: { readonly id: string }) {
    return this.read((records) => this.steps.looking.history(records, request))
  }

  counts(request: CountsRequest) {
    return this.read((records) => this.steps.looking.counts(records, request))
  }

  cancel(request: MoveRequest) {
    return this.change((records) => this.steps.changing.cancel(records, request))
  }

  retry(request: MoveRequest) {
    return this.change((records) => this.steps.changing.retry(records, request))
  }

  archive(request: MoveRequest) {
    return this.change((records) => this.steps.changing.archive(records, request))
  }

  expire(request: MoveRequest) {
    return this.change((records) => this.steps.changing.expire(records, request))
  }

  jobs(request: JobsRequest) {
    return this.read((records) => this.steps.looking.jobs(records, request))
  }

  job(request: { readonly id: string }) {
    return this.read((records) => this.steps.looking.job(records, request))
  }

  changeJob(request: ChangeJobRequest) {
    return this.change((records) => this.steps.changing.changeJob(records, request))
  }

  explain(request: { readonly id: string }) {
    return this.read((records) => this.steps.looking.explain(records, request))
  }

  limits(request: LimitsRequest) {
    return this.read((records) => this.steps.looking.limits(records, request))
  }

  gates(request: GatesRequest) {
    return this.read((records) => this.steps.looking.gates(records, request))
  }

  changeLimit(request: ChangeLimitRequest) {
    return this.change((records) => this.steps.changing.changeLimit(records, request))
  }

  limitChanges(request: ChangesRequest) {
    return this.read((records) => this.steps.looking.limitChanges(records, request))
  }

  forecastErrors() {
    return this.read((records) => this.steps.looking.forecastErrors(records, {}))
  }

  workers(request: WorkersRequest) {
    return this.read((records) => this.steps.looking.workers(records, request))
  }

  waiting(request: WaitingRequest) {
    return this.read((records) => this.steps.looking.waiting(records, request))
  }

  saveSchedule(request: SaveScheduleRequest) {
    return this.change((records) => this.steps.changing.saveSchedule(records, request))
  }

  schedules(request: SchedulesRequest) {
    return this.read((records) => this.steps.looking.schedules(records, request))
  }

  dueSchedules(request: DueSchedulesRequest) {
    return this.read((records) => this.steps.looking.dueSchedules(records, request))
  }

  changeSchedule(request: ChangeScheduleRequest) {
    return this.change((records) => this.steps.changing.changeSchedule(records, request))
  }

  fire(request: FireRequest) {
    return this.change((records) => this.steps.changing.fire(records, request))
  }

  sweep(request: SweepRequest) {
    return this.change((records) => this.steps.changing.sweep(records, request))
  }

  now() {
    return this.read((records) => this.steps.looking.now(records, {}))
  }
}
