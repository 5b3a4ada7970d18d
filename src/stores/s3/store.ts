// The S3 store: what changes something is written into the log and answered when it is applied; what only looks is answered from the state
// behind the log's end.

import { agedExchange, agedHold, agedPermit } from "../../store/aged.ts"
import type { HoldAnswer, HoldRequest } from "../../store/calls-contract.ts"
import type { GetAnswer, Operation, Store, StoreDescription, SweepAnswer, SweepRequest } from "../../store/contract.ts"
import type { ExchangeAnswer, ExchangeRequest } from "../../store/exchange-contract.ts"
import type { PermitAnswer, PermitRequest } from "../../store/limits-contract.ts"
import * as steps from "../../store/steps.ts"
import { findsNothing, sweptNothing } from "./idle-sweep.ts"
import type { Namespace } from "./namespace.ts"

type Changing = Exclude<keyof typeof steps.changing, "exchange" | "permit" | "hold" | "sweep">
type Looking = keyof typeof steps.looking

export class S3Store implements Store {
  readonly kind = "s3"
  private readonly shared: Namespace

  constructor(shared: Namespace) {
    this.shared = shared
  }

  readonly hello = this.changes("hello")
  readonly submit = this.changes("submit")
  readonly route = this.changes("route")
  readonly cancel = this.changes("cancel")
  readonly retry = this.changes("retry")
  readonly archive = this.changes("archive")
  readonly expire = this.changes("expire")
  readonly changeJob = this.changes("changeJob")
  readonly changeLimit = this.changes("changeLimit")
  readonly saveSchedule = this.changes("saveSchedule")
  readonly changeSchedule = this.changes("changeSchedule")
  readonly fire = this.changes("fire")
  readonly unrouted = this.looks("unrouted")
  readonly list = this.looks("list")
  readonly history = this.looks("history")
  readonly counts = this.looks("counts")
  readonly jobs = this.looks("jobs")
  readonly job = this.looks("job")
  readonly explain = this.looks("explain")
  readonly limits = this.looks("limits")
  readonly gates = this.looks("gates")
  readonly limitChanges = this.looks("limitChanges")
  readonly forecastErrors = this.looks("forecastErrors")
  readonly workers = this.looks("workers")
  readonly waiting = this.looks("waiting")
  readonly schedules = this.looks("schedules")
  readonly dueSchedules = this.looks("dueSchedules")
  readonly now = this.looks("now")

  async exchange(request: ExchangeRequest): Promise<ExchangeAnswer> {
    const { answer, waitedMs } = await this.shared.charge("exchange", (waited) => agedExchange(request, waited))
    return { ...(answer as ExchangeAnswer), waitedMs }
  }

  async permit(request: PermitRequest): Promise<PermitAnswer> {
    return (await this.shared.charge("permit", (waited) => agedPermit(request, waited))).answer as PermitAnswer
  }

  async hold(request: HoldRequest): Promise<HoldAnswer> {
    const { answer, waitedMs } = await this.shared.charge("hold", (waited) => agedHold(request, waited))
    return { ...(answer as HoldAnswer), waitedMs }
  }

  async sweep(request: SweepRequest): Promise<SweepAnswer> {
    if (await this.shared.look((records) => findsNothing(records, request))) return sweptNothing
    return (await this.shared.change("sweep", () => request)).answer as SweepAnswer
  }

  async get({ ids }: { readonly ids: readonly string[] }): Promise<GetAnswer> {
    const { tasks, forecasts } = await this.shared.look((records) => steps.getTasks(records, ids))
    return { tasks: ids.map((id) => tasks.get(id) ?? null), forecasts: ids.map((id) => forecasts.get(id) ?? null) }
  }

  describe(): Promise<StoreDescription> {
    return this.shared.describe()
  }

  wait(_request: { readonly workerId: string }, signal: AbortSignal): Promise<void> {
    return this.shared.wait(signal)
  }

  close(): Promise<void> {
    return this.shared.close()
  }

  private changes<S extends Changing & Operation>(operation: S): Store[S] {
    return (async (request: unknown) => (await this.shared.change(operation, () => request)).answer) as Store[S]
  }

  private looks<S extends Looking & Operation>(operation: S): Store[S] {
    const step = steps.looking[operation] as (records: unknown, request: unknown) => unknown
    return (async (request: unknown) => this.shared.look((records) => step(records, request ?? {}))) as Store[S]
  }
}
