// A store whose steps are those of this folder: it says how a step reads and how it writes, and the operations follow.

import type { NumberedEntry } from "../task/index.ts"
import { numberHistory } from "../task/index.ts"
import type {
  CountsAnswer,
  CountsRequest,
  ExchangeAnswer,
  ExchangeRequest,
  ListAnswer,
  ListRequest,
  MoveAnswer,
  MoveRequest,
  Store,
  StoreDescription,
  SubmitAnswer,
  SubmitRequest,
  SweepAnswer,
  SweepRequest,
} from "./contract.ts"
import { exchange } from "./exchange.ts"
import { move } from "./move.ts"
import type { Records } from "./records.ts"
import { submit } from "./submit.ts"
import { sweep } from "./sweep.ts"

export abstract class SteppedStore implements Store {
  abstract readonly kind: string
  abstract describe(): Promise<StoreDescription>
  abstract wait(request: { readonly workerId: string }, signal: AbortSignal): Promise<void>
  abstract close(): Promise<void>

  /** Runs the step on a consistent view; it changes nothing. */
  protected abstract read<T>(step: (records: Records) => T): Promise<T>
  /** Runs the step atomically; what it wrote is kept before the promise resolves, and those who wait hear of its news. */
  protected abstract write<T>(step: (records: Records) => T): Promise<T>

  submit(request: SubmitRequest): Promise<SubmitAnswer> {
    return this.write((records) => submit(records, request))
  }

  exchange(request: ExchangeRequest): Promise<ExchangeAnswer> {
    return this.write((records) => exchange(records, request))
  }

  get({ ids }: { readonly ids: readonly string[] }) {
    return this.read((records) => ({ tasks: records.load(ids) }))
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
    return this.write((records) => move(records, "cancel", request))
  }

  retry(request: MoveRequest): Promise<MoveAnswer> {
    return this.write((records) => move(records, "retry", request))
  }

  archive(request: MoveRequest): Promise<MoveAnswer> {
    return this.write((records) => move(records, "archive", request))
  }

  expire(request: MoveRequest): Promise<MoveAnswer> {
    return this.write((records) => move(records, "expire", request))
  }

  sweep(request: SweepRequest): Promise<SweepAnswer> {
    return this.write((records) => sweep(records, request))
  }

  now(): Promise<{ readonly nowMs: number }> {
    return this.read((records) => ({ nowMs: records.nowMs }))
  }
}
