// What a call may be answered when it is asked a second time, because the first answer was lost.

import { deepEqual } from "node:assert/strict"
import type { ExchangeAnswer, ExchangeRequest, Operation, StoreDescription, SubmitAnswer } from "../../src/store/index.ts"
import type { Call } from "./process.ts"

type Same = (first: never, second: never, message: string, request: never) => void

/** The same tasks; that they are not new is said. */
function submit(first: SubmitAnswer, second: SubmitAnswer, message: string): void {
  const ids = (answer: SubmitAnswer) => (answer.kind === "ok" ? answer.tasks.map(({ task }) => task.id) : answer)
  deepEqual(ids(second), ids(first), `${message}: other tasks were answered`)
}

/**
 * What was settled, renewed and claimed; what else there is to know may be told anew. A task that was given back and claimed again in
 * the same step has another fence by then: its settle is `stale` the second time.
 */
function exchange(first: ExchangeAnswer, second: ExchangeAnswer, message: string, request: ExchangeRequest): void {
  const claims = ({ claimed }: ExchangeAnswer) => claimed.map(({ id, fence }) => `${id} ${fence}`).sort()
  deepEqual(claims(second), claims(first), `${message}: other tasks were claimed`)
  deepEqual(second.kept, first.kept, `${message}: leases were kept otherwise`)
  deepEqual(second.cancelled, first.cancelled, `${message}: other tasks were asked to stop`)
  const isAgain = (i: number) => first.claimed.some(({ id }) => id === request.settles[i]?.id)
  const settles = ({ settled }: ExchangeAnswer) => settled.filter((_answer, i) => !isAgain(i))
  deepEqual(settles(second), settles(first), `${message}: settles were answered otherwise`)
}

/** Of a server that others use as well the same things are told; how they stand may have moved on. */
function describe(first: StoreDescription, second: StoreDescription, message: string): void {
  const told = ({ facts, ...rest }: StoreDescription) => ({ ...rest, facts: Object.keys(facts) })
  deepEqual(told(second), told(first), `${message}: something else is described`)
}

const changing: { readonly [O in Operation]?: Same | null } = {
  submit,
  exchange,
  describe,
  // What they have done is judged by what the store holds. Asked again they find it done.
  route: null,
  cancel: null,
  retry: null,
  archive: null,
  expire: null,
  changeLimit: null,
  saveSchedule: null,
  changeSchedule: null,
  fire: null,
  sweep: null,
  permit: null,
  hold: null,
}

export function sameAnswer({ operation, request }: Call, first: unknown, second: unknown, message: string): void {
  const same = changing[operation]
  if (same) same(first as never, second as never, message, request as never)
  else if (same === undefined) deepEqual(second, first, `${message}: the answer differs`)
}
