// What SQLite's result codes mean to a user of Sluice.

import { cut, isSluiceError, plain, SluiceError } from "../../errors/index.ts"

const codes = {
  error: 1,
  busy: 5,
  locked: 6,
  readOnly: 8,
  ioError: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  protocol: 15,
  constraint: 19,
  mismatch: 20,
  notADatabase: 26,
} as const

/** libsql has the number as `rawCode`, node:sqlite as `errcode`; the lower byte is the primary code. */
function resultCode(error: unknown): number | null {
  const { rawCode, errcode, message } = error as { rawCode?: unknown; errcode?: unknown; message?: unknown }
  const code = typeof rawCode === "number" ? rawCode : typeof errcode === "number" ? errcode : null
  if (code !== null) return code & 0xff
  return /unable to open/i.test(String(message)) ? codes.cannotOpen : null
}

/**
 * Another process holds the lock: the same step may go through in a moment. `protocol` is said where a process that was stopped or
 * killed at the wrong moment has kept others from agreeing on the log for several seconds.
 */
export function isBusy(error: unknown): boolean {
  const code = resultCode(error)
  return code === codes.busy || code === codes.locked || code === codes.protocol
}

/** Nothing of it comes back by itself: what is damaged is told by name, and left for a person to decide about. */
const wayOut = "restore the file from a backup, or remove what is damaged"

export function translate(error: unknown, path: string): Error {
  if (isSluiceError(error)) return error.code === "store_damaged" ? toldBy(error, path) : error
  const cause = error as Error
  const because = (code: ConstructorParameters<typeof SluiceError>[0], message: string) =>
    // SQLite quotes what it has found, a whole damaged schema if need be.
    new SluiceError(code, `sqlite ${path}: ${message} (${cut(plain(String(cause.message)), 200)})`, { cause })
  switch (resultCode(error)) {
    case codes.busy:
    case codes.locked:
    case codes.protocol:
      return because("store_unavailable", "expected the lock, but other processes held it all the time; try again")
    case codes.full:
      return because(
        "store_full",
        "expected room for the write, but the disk or the size limit is full; nothing was written. Free some space, or shorten the retention",
      )
    case codes.ioError:
    case codes.readOnly:
      return because("store_unavailable", "expected to write, but the file or its folder does not allow it")
    case codes.cannotOpen:
      return because("store_unavailable", "expected to open or create the file; check the path and its permissions")
    case codes.notADatabase:
      return because("not_a_database", "expected a SQLite database, but the file is something else or damaged; name another file")
    case codes.corrupt:
      return because("store_damaged", `expected a sound file, but SQLite cannot read all of it; ${wayOut}`)
    case codes.error:
    case codes.constraint:
    case codes.mismatch:
      return because("store_damaged", `expected tables and values as they were written, but SQLite refuses them; ${wayOut}`)
    default:
      return isTooLarge(error) ? because("store_damaged", `expected a number in use, got one that is too large; ${wayOut}`) : cause
  }
}

function toldBy(cause: SluiceError, path: string): SluiceError {
  return new SluiceError("store_damaged", `sqlite ${path}: ${cause.message}; ${wayOut}`, { cause })
}

/** node:sqlite hands over no number that JavaScript could not hold. */
function isTooLarge(error: unknown): boolean {
  return (error as { code?: unknown }).code === "ERR_OUT_OF_RANGE"
}
