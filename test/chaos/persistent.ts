// Whoever gets no answer asks again: with the same ids, so that nothing is done twice.

import { setTimeout as sleep } from "node:timers/promises"
import type { Store } from "../../src/testing/index.ts"
import { throughCalls } from "../../src/testing/through-calls.ts"

const mostTries = 100
const longestPauseMs = 200

export function persistent(store: Store): Store {
  return throughCalls(store, async (_operation, request, call) => {
    for (let tries = 1; ; tries++) {
      try {
        return await call(request)
      } catch (error) {
        if (tries >= mostTries || (error as { retryable?: boolean }).retryable !== true) throw error
        // A server that has just been started refuses at once while it reads its data.
        await sleep(Math.min(longestPauseMs, 10 * tries))
      }
    }
  })
}
