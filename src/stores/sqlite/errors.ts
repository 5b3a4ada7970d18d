// What SQLite's result codes mean to a user of Sluice.

import { isSluiceError, SluiceError } from "../../errors/index.ts"

const codes = { busy: 5, locked: 6, readOnly: 8, ioError: 10, corrupt: 11, full: 13, cannotOpen: 14, notADatabase: 26 } as const

/** libsql has the number as `rawCode`, node:sqlite as `errcode`; the lower byte is the primary code. */
function resultCode(error: unknown): number | null {
  const { rawCode, errcode, message } = error as { rawCode?: unknown; errcode?: unknown; message?: unknown }
  const code = typeof rawCode === "number" ? rawCode : typeof errcode === "number" ? errcode : null
  if (code !== null) return code & 0xff
  return /unable to open/i.test(String(message)) ? codes.cannotOpen : null
}

/** Another process holds the lock: the same step may go through in a moment. */
export function isBusy(error: unknown): boolean {
  const code = resultCode(error)
  return code === codes.busy || code === codes.locked
}

export function translate(error: unknown, path: string): Error {
  if (isSluiceError(error)) return error
  const cause = error as Error
  const because = (code: ConstructorParameters<typeof SluiceError>[0], message: string) =>
    new SluiceError(code, `sqlite ${path}: ${message} (${cause.message})`, { cause })
  switch (resultCode(error)) {
    case codes.busy:
    case codes.locked:
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
    case codes.corrupt:
      return because("not_a_database", "expected a SQLite database, but the file is something else or damaged; name another file")
    default:
      return cause
  }
}
