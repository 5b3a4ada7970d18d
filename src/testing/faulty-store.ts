// A store that fails on request, to see how a worker or a caller takes it. It sees every call, so it counts as well.

import { SluiceError } from "../errors/index.ts"
import { type Operation, operations, type Store } from "../store/index.ts"

/**
 * `refuse`: nothing is done, the call fails. `lose_reply`: it is done, the call fails all the same. `hang`: nothing is done,
 * and no answer comes.
 */
export type Fault = "refuse" | "lose_reply" | "hang"

export type DecideFault = (operation: Operation, request: unknown) => Fault | null

/** Calls the function before each operation; what it answers happens to that call. */
export function faultyStore(store: Store, decide: DecideFault): Store {
  return new Proxy(store, {
    get(_target, property) {
      const value: unknown = Reflect.get(store, property, store)
      if (typeof value !== "function") return value
      const call = value.bind(store) as (...args: unknown[]) => Promise<unknown>
      if (!operations.includes(property as Operation)) return call
      return async (request: unknown) => {
        const fault = decide(property as Operation, request)
        if (fault === "hang") return new Promise(() => {})
        if (fault === "refuse") throw unavailable(property)
        const answer = await call(request)
        if (fault === "lose_reply") throw unavailable(property)
        return answer
      }
    },
  })
}

function unavailable(property: string | symbol): SluiceError {
  return new SluiceError("store_unavailable", `faulty store: ${String(property)} was made to fail`)
}
