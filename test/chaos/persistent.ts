// Whoever gets no answer asks again: with the same ids, so that nothing is done twice.

import type { Store } from "../../src/testing/index.ts"
import { throughCalls } from "../../src/testing/through-calls.ts"

const mostTries = 100

export function persistent(store: Store): Store {
  return throughCalls(store, async (_operation, request, call) => {
    for (let tries = 1; ; tries++) {
      try {
        return await call(request)
      } catch (error) {
        if (tries >= mostTries || (error as { retryable?: boolean }).retryable !== true) throw error
      }
    }
  })
}
