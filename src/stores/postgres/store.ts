// The Postgres store: the steps of src/store, compiled to wait, each in a transaction.

import { SluiceError, shown } from "../../errors/index.ts"
import { agedExchange } from "../../store/aged.ts"
import * as awaited from "../../store/awaited/steps.js"
import type { StoreDescription, SubmitAnswer, SubmitRequest } from "../../store/contract.ts"
import type { ExchangeAnswer, ExchangeRequest, Overlap } from "../../store/exchange-contract.ts"
import type { Records } from "../../store/records.ts"
import { SteppedStore } from "../../store/stepped.ts"
import type { World } from "../../world/index.ts"
import { foreseeExchange, foreseeSubmit } from "./foresight.ts"
import type { Mode } from "./mode.ts"
import type { News } from "./news.ts"
import type { Queryable } from "./queryable.ts"
import type { PostgresRecords } from "./records.ts"
import type { Sql } from "./sql.ts"
import type { Done, Steps } from "./steps.ts"

export interface PostgresStoreParts {
  readonly namespace: string
  /** Its number. */
  readonly ns: number
  readonly world: World
  readonly steps: Steps
  readonly news: News
  readonly describe: () => Promise<Pick<StoreDescription, "durability" | "facts">>
  readonly end: () => Promise<void>
}

/** For how long a type whose tasks were found behind limits is not tried without the lock. */
const lockedForMs = 5_000

export class PostgresStore extends SteppedStore {
  readonly kind = "postgres"
  readonly overlap: Overlap = {
    exchanges: 2,
    leastTasks: 20,
    reason: "while the server works on one exchange, or waits for its disk, the worker works on what the other brought",
  }
  protected readonly world: World
  protected override readonly steps = awaited
  private readonly parts: PostgresStoreParts
  /** By type. */
  private readonly lockedUntilMs = new Map<string, number>()
  private isClosed = false

  constructor(parts: PostgresStoreParts) {
    super()
    this.parts = parts
    this.world = parts.world
  }

  async describe(): Promise<StoreDescription> {
    const { namespace } = this.parts
    const { byStatus } = await this.counts({ type: null })
    const { durability, facts } = await this.parts.describe()
    return { kind: this.kind, namespace, durability, facts: { ...facts, ...byStatus } }
  }

  override submit(request: SubmitRequest): Promise<SubmitAnswer> {
    const { steps, ns } = this.parts
    const foresee = (sql: Sql) => foreseeSubmit(sql, ns, request)
    const step = (records: PostgresRecords) => this.submitted(records, request)
    return this.told(isFree(request) ? steps.writeFreely(step, foresee) : Promise.resolve(null), () => steps.write(step, foresee))
  }

  /** In the caller's transaction: what he rolls back was never submitted. */
  async submitWithin(client: unknown, request: SubmitRequest): Promise<SubmitAnswer> {
    if (!isQueryable(client))
      throw new SluiceError("invalid_option", `submit: tx: expected a client of pg with a transaction of yours, got ${shown(client)}`)
    return this.parts.steps.writeWithin(
      client,
      hasNoJob(request),
      (records) => this.submitted(records, request),
      (sql) => foreseeSubmit(sql, this.parts.ns, request),
    )
  }

  private async submitted(records: PostgresRecords, request: SubmitRequest): Promise<SubmitAnswer> {
    await records.foresee(request.tasks)
    return await awaited.change(records as unknown as Records, (inside) => awaited.changing.submit(inside, request))
  }

  /** Without the lock where that may do: where nothing that was met lately says otherwise. */
  override async exchange(request: ExchangeRequest): Promise<ExchangeAnswer> {
    const { steps, ns } = this.parts
    const askedAtMs = this.world.monotonicMs()
    const types = (request.claim?.types ?? []).map(({ type }) => type)
    const mayBeFree = !types.some((type) => (this.lockedUntilMs.get(type) ?? 0) > askedAtMs)
    let begunAtMs = askedAtMs
    const foresee = (sql: Sql, mode: Mode) => foreseeExchange(sql, { ns, mode, request, shared: steps.shared })
    const step = async (records: PostgresRecords) => {
      begunAtMs = this.world.monotonicMs()
      await records.foreseeExchange(request)
      const aged = agedExchange(request, begunAtMs - askedAtMs)
      return await awaited.change(records as unknown as Records, (inside) => awaited.changing.exchange(inside, aged))
    }
    const answer = await this.told(mayBeFree ? steps.writeFreely(step, foresee) : Promise.resolve(null), () => {
      if (mayBeFree) for (const type of types) this.lockedUntilMs.set(type, askedAtMs + lockedForMs)
      return steps.write(step, foresee)
    })
    return { ...answer, waitedMs: begunAtMs - askedAtMs }
  }

  wait(_request: { readonly workerId: string }, signal: AbortSignal): Promise<void> {
    return this.parts.news.wait(signal)
  }

  async close(): Promise<void> {
    if (this.isClosed) return
    this.isClosed = true
    await this.parts.steps.close()
    await this.parts.news.close()
    await this.parts.end()
  }

  protected write<T>(step: (records: Records) => T): Promise<T> {
    return this.told(Promise.resolve(null), () => this.parts.steps.write(async (records) => await step(records as unknown as Records)))
  }

  protected read<T>(step: (records: Records) => T): Promise<T> {
    return this.parts.steps.read(async (records) => await step(records as unknown as Records))
  }

  /** `locked` where it could not be done freely. */
  private async told<T>(free: Promise<Done<T> | null>, locked: () => Promise<Done<T>>): Promise<T> {
    const { answer, hasNews } = (await free) ?? (await locked())
    if (hasNews) this.parts.news.wake()
    return answer
  }
}

function isQueryable(client: unknown): client is Queryable {
  return typeof client === "object" && client !== null && "query" in client && typeof client.query === "function"
}

/** Submitting what passes no gate and belongs to no job changes nothing that others hold to. */
function isFree(request: SubmitRequest): boolean {
  return hasNoJob(request) && request.tasks.every(({ gates, flow, type }) => (gates === null || gates.length === 0) && flow === type)
}

function hasNoJob({ tasks, newJob, closeJob }: SubmitRequest): boolean {
  return newJob === undefined && closeJob === undefined && tasks.every(({ jobId }) => jobId === null)
}
