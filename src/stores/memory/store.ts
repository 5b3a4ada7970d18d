// The memory store: the steps of src/store, one after the other, on records in this process.

import type { StoreDescription } from "../../store/contract.ts"
import { SteppedStore } from "../../store/stepped.ts"
import { Waiters } from "../../store/waiters.ts"
import { statuses } from "../../task/index.ts"
import type { World } from "../../world/index.ts"
import { MemoryRecords } from "./records.ts"

/** What several connections to one namespace share. */
export class MemoryNamespace {
  readonly records = new MemoryRecords()
  readonly waiters = new Waiters()
}

export class MemoryStore extends SteppedStore {
  readonly kind = "memory"
  private readonly shared: MemoryNamespace
  private readonly namespace: string
  protected readonly world: World

  constructor(shared: MemoryNamespace, namespace: string, world: World) {
    super()
    this.shared = shared
    this.namespace = namespace
    this.world = world
  }

  async describe(): Promise<StoreDescription> {
    const { byStatus } = await this.counts({ type: null })
    const tasks = statuses.reduce((sum, status) => sum + byStatus[status], 0)
    return {
      kind: this.kind,
      namespace: this.namespace,
      durability: "none: everything is gone when the process ends",
      facts: { tasks },
    }
  }

  wait(_request: { readonly workerId: string }, signal: AbortSignal): Promise<void> {
    return this.shared.waiters.wait(signal)
  }

  async close(): Promise<void> {}

  protected read<T>(step: (records: MemoryRecords) => T): Promise<T> {
    return this.write(step)
  }

  /** A step that throws must have written nothing; the steps check before they write. */
  protected async write<T>(step: (records: MemoryRecords) => T): Promise<T> {
    const { records, waiters } = this.shared
    records.begin(this.world.wallMs())
    const answer = step(records)
    if (records.hasNews || records.limits.hasNews || records.schedules.hasNews || records.calls.hasNews) waiters.wake()
    return answer
  }
}
