// An image holds everything: the whole suite on records that are made anew from their image, as text, before every step. What an image
// leaves out, or puts in another order, some test notices.

import type { StoreDescription } from "../../src/store/contract.ts"
import { SteppedStore } from "../../src/store/stepped.ts"
import { Waiters } from "../../src/store/waiters.ts"
import { fromText, toText } from "../../src/stores/memory/image.ts"
import { MemoryRecords } from "../../src/stores/memory/records.ts"
import { describeStore } from "../../src/testing/conformance/index.ts"
import type { World } from "../../src/world/index.ts"

class Shared {
  records = new MemoryRecords()
  readonly waiters = new Waiters()

  remake(): MemoryRecords {
    const text = this.records.image().map(toText)
    this.records = new MemoryRecords()
    this.records.restore(text.map(fromText))
    return this.records
  }
}

class RemadeStore extends SteppedStore {
  readonly kind = "memory"
  protected readonly world: World
  private readonly shared: Shared
  private readonly namespace: string

  constructor(shared: Shared, namespace: string, world: World) {
    super()
    this.shared = shared
    this.namespace = namespace
    this.world = world
  }

  async describe(): Promise<StoreDescription> {
    return { kind: this.kind, namespace: this.namespace, durability: "none", facts: {} }
  }

  wait(_request: { readonly workerId: string }, signal: AbortSignal): Promise<void> {
    return this.shared.waiters.wait(signal)
  }

  async close(): Promise<void> {}

  protected read<T>(step: (records: MemoryRecords) => T): Promise<T> {
    return this.write(step)
  }

  protected async write<T>(step: (records: MemoryRecords) => T): Promise<T> {
    const records = this.shared.remake()
    records.begin(this.world.wallMs())
    const answer = step(records)
    if (records.hasNews || records.limits.hasNews || records.schedules.hasNews || records.calls.hasNews) this.shared.waiters.wake()
    return answer
  }
}

describeStore("memory, made anew from its image before every step", async () => {
  const namespaces = new Map<string, Shared>()
  return {
    open: async ({ namespace = "default", world }) => {
      const shared = namespaces.get(namespace) ?? new Shared()
      namespaces.set(namespace, shared)
      return new RemadeStore(shared, namespace, world)
    },
    close: async () => {},
  }
})
