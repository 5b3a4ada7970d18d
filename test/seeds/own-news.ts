// A store that nobody else writes to need not look for news of others: SQLite does so ten times a second, which in virtual
// days is millions of looks. Waiting is left to what passes through here; everything else is the store's own.

import type { ExchangeAnswer, Operation, Store, SweepAnswer } from "../../src/store/index.ts"
import { Waiters } from "../../src/store/waiters.ts"

const isNews: Partial<Record<Operation, (answer: unknown) => boolean>> = {
  submit: () => true,
  cancel: () => true,
  retry: () => true,
  expire: () => true,
  sweep: (answer) => (answer as SweepAnswer).rescued > 0,
  // A settle may give back a slot.
  exchange: (answer) => (answer as ExchangeAnswer).settled.some(({ kind }) => kind === "ok"),
  route: () => true,
  changeLimit: () => true,
}

export function withOwnNews(store: Store): Store {
  const waiters = new Waiters()
  return new Proxy(store, {
    get(_target, property) {
      if (property === "wait") return (_request: unknown, signal: AbortSignal) => waiters.wait(signal)
      const value: unknown = Reflect.get(store, property, store)
      if (typeof value !== "function") return value
      const call = value.bind(store) as (request: unknown) => Promise<unknown>
      return async (request: unknown) => {
        const answer = await call(request)
        if (isNews[property as Operation]?.(answer)) waiters.wake()
        return answer
      }
    },
  })
}
