// The error that a call ends with, and calls that are repeated as a worker repeats them.

import assert from "node:assert/strict"
import { isSluiceError, type SluiceError } from "../../src/errors/index.ts"

export async function refusal(call: Promise<unknown>): Promise<SluiceError> {
  const error = await call.then(
    () => assert.fail("expected a refusal, got an answer"),
    (thrown: unknown) => thrown,
  )
  if (!isSluiceError(error)) throw error
  return error
}

export async function repeated<T>(call: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await call()
    } catch (error) {
      if (!isSluiceError(error) || !error.retryable) throw error
    }
  }
}
