// What the tests of the worker share: promises that a test keeps, and a store whose calls it sees and spoils.

import { ok } from "node:assert/strict"
import type { Context, Queue, Task } from "../../../src/index.ts"
import type { ExchangeRequest, Operation, SettleRequest, Store } from "../../../src/store/index.ts"
import { type DecideFault, type Fault, faultyStore } from "../../../src/testing/faulty-store.ts"
import { sleep } from "../../../src/world/index.ts"

export interface Deferred<T> {
  readonly promise: Promise<T>
  resolve(value: T): void
  reject(error: unknown): void
}

export function deferred<T = void>(): Deferred<T> {
  let resolve: (value: T) => void = () => {}
  let reject: (error: unknown) => void = () => {}
  const promise = new Promise<T>((onValue, onError) => {
    resolve = onValue
    reject = onError
  })
  return { promise, resolve, reject }
}

/** A handler that takes this long in the queue's own time, and ends early when it is asked to stop. */
export async function takes(context: Context, ms: number): Promise<void> {
  await sleep(context.queue.world, ms, context.signal)
  context.signal.throwIfAborted()
}

/** A handler that has never heard of signals. */
export function never(): Promise<never> {
  return new Promise<never>(() => {})
}

export async function found(queue: Queue, { id }: { readonly id: string }): Promise<Task> {
  const task = await queue.get(id)
  ok(task, `expected task ${id} to be there`)
  return task
}

/** As a process says that has the code of a type without limits: what is submitted by name can be claimed then. */
export async function declareType(queue: Queue, type: string): Promise<void> {
  await queue.store.hello({ workerId: null, types: [{ type, limits: [] }], limits: [] })
}

/** A settle as somebody else sends it, who knows nothing of what the run did. */
export function settleOf(settle: Pick<SettleRequest, "id" | "fence" | "outcome">): SettleRequest {
  return { ...settle, spent: [], sentAgoMs: null, respondedAgoMs: null, rttMs: null }
}

export interface Call {
  readonly operation: Operation
  readonly request: unknown
}

/** Sees every call to the store, and spoils those that the test wants spoiled. */
export class Tap {
  readonly calls: Call[] = []
  spoil: DecideFault = () => null

  readonly through = (store: Store): Store =>
    faultyStore(store, (operation, request) => {
      this.calls.push({ operation, request })
      return this.spoil(operation, request)
    })

  get exchanges(): ExchangeRequest[] {
    return this.calls.flatMap(({ operation, request }) => (operation === "exchange" ? [request as ExchangeRequest] : []))
  }

  /** The next exchange that fits goes wrong, once. */
  spoilOnce(fault: Fault, fits: (request: ExchangeRequest) => boolean): void {
    this.spoil = (operation, request) => {
      if (operation !== "exchange" || !fits(request as ExchangeRequest)) return null
      this.spoil = () => null
      return fault
    }
  }

  /** Every call of a worker goes wrong; what the test asks for itself goes through. */
  goAway(fault: Fault): void {
    this.spoil = (operation) => (operation === "exchange" || operation === "sweep" ? fault : null)
  }

  comeBack(): void {
    this.spoil = () => null
  }
}

/** Holds back the answers to exchanges: what happens meanwhile, happens while one is under way. */
export class HeldAnswers {
  private held: Deferred<void> | null = null

  readonly through = (store: Store): Store =>
    new Proxy(store, {
      get: (_target, property) => {
        const value: unknown = Reflect.get(store, property, store)
        if (typeof value !== "function") return value
        const call = value.bind(store)
        if (property !== "exchange") return call
        return async (request: ExchangeRequest) => {
          const answer = await call(request)
          await this.held?.promise
          return answer
        }
      },
    })

  hold(): void {
    this.held = deferred()
  }

  release(): void {
    this.held?.resolve()
    this.held = null
  }
}
