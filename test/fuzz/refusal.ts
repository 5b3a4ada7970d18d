// What holds for every refusal, whoever refuses: one of the codes that are meant for it, and a message that a person can read
// on one line of a terminal and of a log.

import assert from "node:assert/strict"
import vm from "node:vm"
import { type ErrorCode, isSluiceError, type SluiceError } from "../../src/errors/index.ts"

const mostCharacters = 1_500
/** What a terminal obeys instead of showing, line breaks included. */
const controls = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u

/** The value, or the error of one of these codes. Any other error is a crash. */
export function valueOrRefusal<T>(parse: () => T, codes: readonly ErrorCode[]): { readonly value: T } | { readonly refused: SluiceError } {
  try {
    return { value: parse() }
  } catch (error) {
    return { refused: assertRefusal(error, codes) }
  }
}

export function assertRefusal(error: unknown, codes: readonly ErrorCode[]): SluiceError {
  if (!isSluiceError(error)) throw new Error(`expected a SluiceError, got ${String(error)}`, { cause: error })
  assert.ok(codes.includes(error.code), `expected one of ${codes.join(", ")}, got ${error.code}: ${error.message}`)
  assertReadable(error.message)
  return error
}

export function assertReadable(message: string): void {
  assert.notEqual(message, "")
  assert.ok(message.length <= mostCharacters, `a message of ${message.length} characters: ${message.slice(0, 200)}`)
  assert.doesNotMatch(message, controls)
  assert.ok(message.isWellFormed(), JSON.stringify(message))
}

/**
 * Ends what does not end by itself, a loop or a regular expression. Not a measure of speed: whatever is still at it after this long
 * would be so for hours.
 */
export function inTime<T>(run: () => T): T {
  const running = globalThis as { runInTime?: () => T }
  const outer = running.runInTime
  running.runInTime = run
  try {
    return vm.runInThisContext("runInTime()", { timeout: 5_000 }) as T
  } finally {
    running.runInTime = outer
  }
}
