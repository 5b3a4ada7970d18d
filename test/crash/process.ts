// A process as the script plays it: a worker that says what the script has it say, counts its claims, knows what it holds, and
// writes down what it knows. Each call has a number: those are the points at which it can be stopped.

import { ok } from "node:assert/strict"
import type { ClaimRequest, ExchangeAnswer, Operation, SettleRequest, Store } from "../../src/store/index.ts"
import type { Outcome } from "../../src/task/index.ts"
import { said } from "../../src/testing/conformance/outcomes.ts"
import { recordedStore, throughCalls, type WriteFact } from "../../src/testing/index.ts"
import { idOf, nameOf } from "./tasks.ts"

export const leaseMs = 30_000

export interface Call {
  readonly number: number
  readonly operation: Operation
  /** What is special about this call of the operation. */
  readonly note: string
  readonly request: unknown
}

export const shown = ({ number, operation, note }: Call): string => `call ${number} (${operation}: ${note})`

/** What somebody does to the calls of a process. */
export interface Watch {
  /** Between the process and its store: carries the call out, or does not. */
  carry?(call: Call, carryOut: () => Promise<unknown>): Promise<unknown>
  /** The process has its answer, and has written it down. */
  answered?(call: Call): Promise<void>
}

/** The process was stopped: nothing more of it runs. */
export class Stopped extends Error {}
/** The answer did not come: nobody knows whether the call was carried out. */
export class ReplyLost extends Error {}

type Answer<O extends Operation> = Awaited<ReturnType<Store[O]>>
type Rooms = Readonly<Record<string, number>>

export class ScriptedProcess {
  readonly name: string
  readonly calls: Call[] = []
  /** The fence of each task that it was given and has not settled. */
  readonly held = new Map<string, number>()
  private readonly store: Store
  private readonly write: WriteFact
  private readonly watch: Watch
  private claims = 0
  private readonly started = new Set<string>()

  constructor(name: string, store: Store, write: WriteFact, watch: Watch = {}) {
    this.name = name
    this.write = write
    this.watch = watch
    const carried = throughCalls(store, (_operation, request, carryOut) => {
      const call = this.calls.at(-1) as Call
      return watch.carry ? watch.carry(call, () => carryOut(request)) : carryOut(request)
    })
    this.store = recordedStore(carried, write)
  }

  async call<O extends Operation>(operation: O, note: string, request: Parameters<Store[O]>[0]): Promise<Answer<O>> {
    const call: Call = { number: this.calls.length + 1, operation, note, request }
    this.calls.push(call)
    const answer = await this.ask(operation, request).catch((error: unknown) => {
      // The same is asked again, as a worker does.
      if (error instanceof ReplyLost) return this.ask(operation, request)
      throw error
    })
    await this.watch.answered?.(call)
    return answer
  }

  private ask<O extends Operation>(operation: O, request: Parameters<Store[O]>[0]): Promise<Answer<O>> {
    return (this.store[operation] as (request: unknown) => Promise<Answer<O>>)(request)
  }

  /** Settles by the names of tasks, renews, and claims as many of each type as it has room for. */
  async exchange(
    note: string,
    { settles = [], renew = [], rooms = null }: { settles?: readonly SettleRequest[]; renew?: readonly string[]; rooms?: Rooms | null },
  ): Promise<ExchangeAnswer> {
    for (const { id, fence } of settles) this.end(id, fence)
    const answer = await this.call("exchange", note, {
      workerId: this.name,
      settles,
      heartbeats: renew.map((name, i) => ({ id: idOf(name), fence: this.fenceOf(name), progress: i === 0 ? '{"half":true}' : null })),
      leaseMs,
      claim: rooms && this.nextClaim(rooms),
    })
    for (const { id } of settles) this.held.delete(id)
    for (const { id, fence } of answer.claimed) this.begin(id, fence)
    return answer
  }

  /** The end of a run, under the fence that it was begun with. */
  settle(name: string, outcome: Outcome, fields: Partial<SettleRequest> = {}): SettleRequest {
    return said({ id: idOf(name), fence: this.fenceOf(name) }, outcome, fields)
  }

  fenceOf(name: string): number {
    const fence = this.held.get(idOf(name))
    ok(fence, `expected ${this.name} to hold ${name}; it holds ${[...this.held.keys()].map(nameOf).join(", ") || "nothing"}`)
    return fence
  }

  private nextClaim(rooms: Rooms): ClaimRequest {
    const max = Object.values(rooms).reduce((sum, room) => sum + room, 0)
    return { number: ++this.claims, types: Object.entries(rooms).map(([type, room]) => ({ type, room })), max }
  }

  private begin(task: string, fence: number): void {
    this.held.set(task, fence)
    if (this.started.has(`${task} ${fence}`)) return
    this.started.add(`${task} ${fence}`)
    this.write({ op: "run", phase: "start", task, fence })
  }

  private end(task: string, fence: number): void {
    if (this.started.delete(`${task} ${fence}`)) this.write({ op: "run", phase: "end", task, fence })
  }
}
