// What the tests of the queue share: a queue in memory, and the proof that a refusal is one.

import { equal, ok } from "node:assert/strict"
import { connect, type ErrorCode, isSluiceError, type Queue } from "../../../src/index.ts"
import { VirtualWorld } from "../../../src/testing/virtual-world.ts"

export function openQueue(options: { readonly maxInputBytes?: string } = {}): Promise<Queue> {
  return connect("memory:", { ...options, world: new VirtualWorld() })
}

export interface Refusal {
  readonly code: ErrorCode
  readonly message: string
}

/** The call is refused with this code and these words, and nothing has been stored. */
export async function refuses(queue: Queue, call: () => Promise<unknown>, refusal: Refusal): Promise<void> {
  const before = (await queue.list()).tasks.length
  const error = await call().then(
    () => null,
    (thrown: unknown) => thrown,
  )
  ok(isSluiceError(error), `expected a SluiceError, got ${error}`)
  equal(error.message, refusal.message)
  equal(error.code, refusal.code)
  equal(error.retryable, false)
  equal((await queue.list()).tasks.length, before)
}
