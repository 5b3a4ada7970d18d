// The Redis store: every operation is one step inside the server, one round trip. What the client adds: how long a request has waited,
// wake-ups, and what the server says of itself.

import { agedExchange, agedHold, agedPermit } from "../../store/aged.ts"
import type { HoldAnswer, HoldRequest } from "../../store/calls-contract.ts"
import type { Operation, Store, StoreDescription, SubmitAnswer, SubmitRequest } from "../../store/contract.ts"
import type { ExchangeAnswer, ExchangeRequest, Overlap } from "../../store/exchange-contract.ts"
import type { PermitAnswer, PermitRequest } from "../../store/limits-contract.ts"
import { describeServer } from "./describe.ts"
import { translate } from "./errors.ts"
import type { Link } from "./link.ts"
import type { News } from "./news.ts"
import type { Steps } from "./steps.ts"

type Step = Exclude<Operation, "describe">

export interface RedisStoreParts {
  readonly place: string
  readonly namespace: string
  readonly isCluster: boolean
  readonly link: Link
  readonly news: News
  readonly steps: Steps
}

export class RedisStore implements Store {
  readonly kind = "redis"
  readonly overlap: Overlap = {
    exchanges: 2,
    leastTasks: 20,
    reason: "the server works in a process of its own: while it works on one exchange, the worker works on what the other brought",
  }
  private readonly parts: RedisStoreParts

  constructor(parts: RedisStoreParts) {
    this.parts = parts
  }

  readonly hello = this.step("hello")
  readonly unrouted = this.step("unrouted")
  readonly route = this.step("route")
  readonly get = this.step("get")
  readonly list = this.step("list")
  readonly history = this.step("history")
  readonly counts = this.step("counts")
  readonly cancel = this.step("cancel")
  readonly retry = this.step("retry")
  readonly archive = this.step("archive")
  readonly expire = this.step("expire")
  readonly jobs = this.step("jobs")
  readonly job = this.step("job")
  readonly changeJob = this.step("changeJob")
  readonly explain = this.step("explain")
  readonly limits = this.step("limits")
  readonly gates = this.step("gates")
  readonly changeLimit = this.step("changeLimit")
  readonly limitChanges = this.step("limitChanges")
  readonly forecastErrors = this.step("forecastErrors")
  readonly workers = this.step("workers")
  readonly waiting = this.step("waiting")
  readonly saveSchedule = this.step("saveSchedule")
  readonly schedules = this.step("schedules")
  readonly dueSchedules = this.step("dueSchedules")
  readonly changeSchedule = this.step("changeSchedule")
  readonly fire = this.step("fire")
  readonly sweep = this.step("sweep")
  readonly now = this.step("now")

  submit(request: SubmitRequest): Promise<SubmitAnswer> {
    const { steps, news } = this.parts
    return steps.run(
      "submit",
      () => request,
      () => news.sent(),
    ) as Promise<SubmitAnswer>
  }

  async exchange(request: ExchangeRequest): Promise<ExchangeAnswer> {
    return this.aged("exchange", (waitedMs) => agedExchange(request, waitedMs))
  }

  async permit(request: PermitRequest): Promise<PermitAnswer> {
    return (await this.parts.steps.run("permit", (waitedMs) => agedPermit(request, waitedMs))) as PermitAnswer
  }

  async hold(request: HoldRequest): Promise<HoldAnswer> {
    return this.aged("hold", (waitedMs) => agedHold(request, waitedMs))
  }

  async describe(): Promise<StoreDescription> {
    const { link, namespace, place, isCluster } = this.parts
    const counts = await this.counts({ type: null })
    const client = await link.ready()
    try {
      return await describeServer(client, { namespace, host: place.replace(/^redis /, ""), isCluster }, counts)
    } catch (error) {
      throw translate(error, place)
    }
  }

  wait(_request: { readonly workerId: string }, signal: AbortSignal): Promise<void> {
    return this.parts.news.wait(signal)
  }

  async close(): Promise<void> {
    await Promise.all([this.parts.news.close(), this.parts.link.close()])
  }

  private step<S extends Step>(operation: S): Store[S] {
    return ((request: unknown) => this.parts.steps.run(operation, () => request)) as Store[S]
  }

  /** The answer with how long the request has waited for a connection. */
  private async aged<A extends ExchangeAnswer | HoldAnswer>(operation: Step, request: (waitedMs: number) => unknown): Promise<A> {
    let waited = 0
    const answer = await this.parts.steps.run(operation, (waitedMs) => {
      waited = waitedMs
      return request(waitedMs)
    })
    return { ...(answer as A), waitedMs: waited }
  }
}
