// The memory store: the steps of src/store, one after the other, on records in this process.

import type {
  CountsRequest,
  ExchangeRequest,
  ListRequest,
  MoveRequest,
  Store,
  StoreDescription,
  SubmitRequest,
  SweepRequest,
} from "../../store/contract.ts"
import { exchange } from "../../store/exchange.ts"
import { type Move, move } from "../../store/move.ts"
import { submit } from "../../store/submit.ts"
import { sweep } from "../../store/sweep.ts"
import { Waiters } from "../../store/waiters.ts"
import { numberHistory, statuses } from "../../task/index.ts"
import type { World } from "../../world/index.ts"
import { MemoryRecords } from "./records.ts"

/** What several connections to one namespace share. */
export class MemoryNamespace {
  readonly records = new MemoryRecords()
  readonly waiters = new Waiters()
}

export class MemoryStore implements Store {
  readonly kind = "memory"
  private readonly shared: MemoryNamespace
  private readonly namespace: string
  private readonly world: World

  constructor(shared: MemoryNamespace, namespace: string, world: World) {
    this.shared = shared
    this.namespace = namespace
    this.world = world
  }

  async submit(request: SubmitRequest) {
    return this.step((records) => submit(records, request))
  }

  async exchange(request: ExchangeRequest) {
    return this.step((records) => exchange(records, request))
  }

  async get({ ids }: { readonly ids: readonly string[] }) {
    return this.step((records) => ({ tasks: records.load(ids) }))
  }

  async list(request: ListRequest) {
    return this.step((records) => records.list(request))
  }

  async history({ id }: { readonly id: string }) {
    return this.step((records) => {
      const found = records.history(id)
      return { entries: found && numberHistory(found.entries, found.version) }
    })
  }

  async counts(request: CountsRequest) {
    return this.step((records) => ({ byStatus: records.counts(request) }))
  }

  async cancel(request: MoveRequest) {
    return this.move("cancel", request)
  }

  async retry(request: MoveRequest) {
    return this.move("retry", request)
  }

  async archive(request: MoveRequest) {
    return this.move("archive", request)
  }

  async expire(request: MoveRequest) {
    return this.move("expire", request)
  }

  async sweep(request: SweepRequest) {
    return this.step((records) => sweep(records, request))
  }

  async now() {
    return this.step((records) => ({ nowMs: records.nowMs }))
  }

  async describe(): Promise<StoreDescription> {
    const byStatus = this.step((records) => records.counts({ type: null }))
    const tasks = statuses.reduce((sum, status) => sum + byStatus[status], 0)
    return { kind: this.kind, namespace: this.namespace, durability: "none: everything is gone when the process ends", facts: { tasks } }
  }

  wait(_request: { readonly workerId: string }, signal: AbortSignal): Promise<void> {
    return this.shared.waiters.wait(signal)
  }

  async close(): Promise<void> {}

  private move(name: Move, request: MoveRequest) {
    return this.step((records) => move(records, name, request))
  }

  /** A step that throws must have written nothing; the steps check before they write. */
  private step<T>(run: (records: MemoryRecords) => T): T {
    this.shared.records.begin(this.world.wallMs())
    const answer = run(this.shared.records)
    if (this.shared.records.hasNews) this.shared.waiters.wake()
    return answer
  }
}
