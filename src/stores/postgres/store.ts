// The Postgres store: the steps of src/store, compiled to wait, each in a transaction.

import * as awaited from "../../store/awaited/steps.js"
import type { StoreDescription, SubmitAnswer, SubmitRequest } from "../../store/contract.ts"
import type { Records } from "../../store/records.ts"
import { SteppedStore } from "../../store/stepped.ts"
import type { World } from "../../world/index.ts"
import type { News } from "./news.ts"
import type { PostgresRecords } from "./records.ts"
import type { Steps } from "./steps.ts"

export interface PostgresStoreParts {
  readonly namespace: string
  readonly world: World
  readonly steps: Steps
  readonly news: News
  readonly describe: () => Promise<Pick<StoreDescription, "durability" | "facts">>
  readonly end: () => Promise<void>
}

export class PostgresStore extends SteppedStore {
  readonly kind = "postgres"
  protected readonly world: World
  protected override readonly steps = awaited
  private readonly parts: PostgresStoreParts
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
    return this.run(async (records) => {
      await records.foresee(request.tasks)
      return await awaited.change(records as unknown as Records, (inside) => awaited.changing.submit(inside, request))
    })
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
    return this.run(async (records) => await step(records as unknown as Records))
  }

  protected read<T>(step: (records: Records) => T): Promise<T> {
    return this.parts.steps.read(async (records) => await step(records as unknown as Records))
  }

  private async run<T>(step: (records: PostgresRecords) => Promise<T>): Promise<T> {
    const { answer, hasNews } = await this.parts.steps.write(step)
    if (hasNews) this.parts.news.wake()
    return answer
  }
}
