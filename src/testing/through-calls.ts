// A store with something around each of its calls: what counts, fails, delays or writes down is one function.

import { type Operation, operations, type Store } from "../store/index.ts"

/** Called instead of each operation; `call` carries it out, with the request as it came or another one, as often as it is called. */
export type AroundCall = (operation: Operation, request: unknown, call: (request: unknown) => Promise<unknown>) => Promise<unknown>

export function throughCalls(store: Store, around: AroundCall): Store {
  return new Proxy(store, {
    get(_target, property) {
      const value: unknown = Reflect.get(store, property, store)
      if (typeof value !== "function") return value
      // Private fields need their own object as `this`.
      const call = value.bind(store) as (request: unknown) => Promise<unknown>
      if (!operations.includes(property as Operation)) return call
      return (request: unknown) => around(property as Operation, request, call)
    },
  })
}
