// What the tests of the worker share: promises that a test keeps, and a store whose calls it sees and spoils.

import { ok } from "node:assert/strict"
import { SluiceError } from "../../../src/errors/index.ts"
import type { Context, Queue, Task } from "../../../src/index.ts"
import type { ExchangeRequest, Operation, Overlap, SettleRequest, Store } from "../../../src/store/index.ts"
import { type DecideFault, type Fault, faultyStore } from "../../../src/testing/faulty-store.ts"
import { throughCalls } from "../../../src/testing/through-calls.ts"
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

/** A store that says that exchanges beside each other help, and whose answers the test gives out one by one, in the order that it likes. */
export class OverlappedExchanges {
  isHolding = false
  /** Nothing is done, and no answer comes. */
  isSilent = false
  /** The most that were under way at once. */
  most = 0
  readonly seen: ExchangeRequest[] = []
  private readonly waiting: { readonly request: ExchangeRequest; readonly answered: Deferred<"answer" | "lose"> }[] = []
  private underWay = 0
  private readonly overlap: Overlap

  constructor(overlap: Partial<Overlap> = {}) {
    this.overlap = { exchanges: 2, leastTasks: 1, reason: "a test says so", ...overlap }
  }

  readonly through = (store: Store): Store => {
    const around = throughCalls(store, async (operation, request, call) => {
      if (operation !== "exchange") return call(request)
      this.seen.push(request as ExchangeRequest)
      this.most = Math.max(this.most, ++this.underWay)
      try {
        return await this.carry(request as ExchangeRequest, call)
      } finally {
        this.underWay--
      }
    })
    return new Proxy(around, { get: (target, property) => (property === "overlap" ? this.overlap : Reflect.get(target, property)) })
  }

  /** Those that were carried out, and whose answers have not been given. */
  get held(): readonly ExchangeRequest[] {
    return this.waiting.map(({ request }) => request)
  }

  hold(): void {
    this.isHolding = true
  }

  /** One answer; or all, and those to come. */
  release(place?: number): void {
    if (place === undefined) this.isHolding = false
    for (const { answered } of place === undefined ? this.waiting.splice(0) : this.waiting.splice(place, 1)) answered.resolve("answer")
  }

  lose(place: number): void {
    for (const { answered } of this.waiting.splice(place, 1)) answered.resolve("lose")
  }

  private async carry(request: ExchangeRequest, call: (request: unknown) => Promise<unknown>): Promise<unknown> {
    if (this.isSilent) return never()
    const answer = await call(request)
    if (!this.isHolding) return answer
    const answered = deferred<"answer" | "lose">()
    this.waiting.push({ request, answered })
    if ((await answered.promise) === "lose") throw new SluiceError("store_unavailable", "a test has lost the answer")
    return answer
  }
}
