// A store that fails on request, to see how a worker or a caller takes it. It sees every call, so it counts as well.

import { SluiceError } from "../errors/index.ts"
import type { Operation, Store } from "../store/index.ts"
import { throughCalls } from "./through-calls.ts"

/**
 * `refuse`: nothing is done, the call fails. `lose_reply`: it is done, the call fails all the same. `hang`: nothing is done,
 * and no answer comes.
 */
export type Fault = "refuse" | "lose_reply" | "hang"

export type DecideFault = (operation: Operation, request: unknown) => Fault | null

/** Calls the function before each operation; what it answers happens to that call. */
export function faultyStore(store: Store, decide: DecideFault): Store {
  return throughCalls(store, async (operation, request, call) => {
    const fault = decide(operation, request)
    if (fault === "hang") return new Promise(() => {})
    if (fault === "refuse") throw unavailable(operation)
    const answer = await call(request)
    if (fault === "lose_reply") throw unavailable(operation)
    return answer
  })
}

function unavailable(operation: Operation): SluiceError {
  return new SluiceError("store_unavailable", `faulty store: ${operation} was made to fail`)
}
