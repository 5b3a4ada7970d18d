// What the server's refusals (by SQLSTATE), and a connection that breaks, mean to a user of Sluice.

import { cut, type ErrorCode, insecure, isSluiceError, plain, SluiceError } from "../../errors/index.ts"

type Meaning = readonly [ErrorCode, string]

const wayOut = "restore a backup, or use another schema"
const shutdown: Meaning = [
  "store_unavailable",
  "expected an answer, but the server or this connection is being shut down: whether it was carried out is not known. The same again does no harm",
]
const broken: Meaning = [
  "store_unavailable",
  "expected an answer, but the connection broke: whether it was carried out is not known. The same again does no harm",
]
const contested: Meaning = ["store_unavailable", "expected the lock, but others held it or were in the way all the time; try again"]
const denied: Meaning = [
  "store_denied",
  "expected to be let in and to be allowed what a queue needs; check the user, the password and the user's rights",
]
const full: Meaning = [
  "store_full",
  "expected room for the write, but the server's disk is full; nothing was written. Free some space, or shorten the retention",
]
const damaged: Meaning = ["store_damaged", `expected tables and values as they were written, but Postgres refuses them; ${wayOut}`]
const missing: Meaning = [
  "store_damaged",
  `expected the tables of Sluice, but one is missing or is not as it was made; see sluice migrate --dry-run, ${wayOut}`,
]
const unreadable: Meaning = ["invalid_input", "expected texts without U+0000 and in valid Unicode, the only ones that Postgres keeps"]
const unprepared: Meaning = [
  "store_unfit",
  "expected the connection to keep prepared statements, but something between gives each transaction another one; add prepare=false to the URL",
]

/** By SQLSTATE, else by its class: the first two characters. */
const meanings: Readonly<Record<string, Meaning>> = {
  "08": broken,
  "22": damaged,
  "22021": unreadable,
  "22P05": unreadable,
  "23": damaged,
  "25006": ["store_unavailable", "expected to write, but this server only reads: a standby, perhaps; try again, or name the primary"],
  "25P02": [
    "store_unavailable",
    "expected a transaction that goes on, but one of its statements has failed before; roll it back, begin anew",
  ],
  "25P03": shutdown,
  "26000": unprepared,
  "28": denied,
  "3D000": ["unknown_store", "expected a database of this name, but the server has none; create it, or name another in the URL"],
  "3F000": missing,
  "40": contested,
  "42": ["store_unfit", "expected a server that knows this statement: Postgres 13 or newer"],
  "42501": denied,
  "42703": missing,
  "42P01": missing,
  "42P05": unprepared,
  "42P07": ["store_damaged", `expected a schema without this table, but there is one; ${wayOut}`],
  "0A": ["store_unfit", "expected a server that can do this: Postgres 13 or newer"],
  "53": ["store_unavailable", "expected an answer, but the server has run out of memory or of another of its resources; try again"],
  "53100": full,
  "53300": [
    "store_unavailable",
    "expected a connection, but the server has none left; try again, raise its max_connections, or lower pool in the URL",
  ],
  "55P03": contested,
  "57": shutdown,
  "57014": ["store_unavailable", "expected an answer in time, but the statement was cancelled (statement_timeout, or somebody); try again"],
  "57P03": ["store_unavailable", "expected an answer, but the server is starting or stopping; try again"],
  "58": ["store_unavailable", "expected an answer, but the server's own system fails it; look at its disk and its log"],
  XX: ["store_unavailable", "expected an answer, but the server failed inside; try again, and look at its log"],
  XX001: ["store_damaged", `expected sound tables, but Postgres cannot read all of them; ${wayOut}`],
  XX002: ["store_damaged", "expected sound indexes, but Postgres cannot read all of them; REINDEX, or restore a backup"],
}

/** What goes wrong before anything was sent. */
const unreached: Readonly<Record<string, string>> = {
  ECONNREFUSED: "expected a server that listens there, but none does; start it, or check host and port",
  ENOTFOUND: "expected a host of this name, but there is none; check the URL",
  EAI_AGAIN: "expected the address of the host, but its name could not be asked for; try again",
  EHOSTUNREACH: "expected a way to the host, but there is none; try again",
  ENETUNREACH: "expected a way to the host, but there is none; try again",
}
const socketCodes = ["ECONNRESET", "EPIPE", "ETIMEDOUT", "ECONNABORTED", "ENOTCONN", "ERR_STREAM_DESTROYED", ...Object.keys(unreached)]
const brokenText =
  /^(Connection terminated|timeout expired$|timeout exceeded when trying to connect|Query read timeout|Client (has encountered|was closed|has already)|Connection ended unexpectedly)|socket hang up/
/** PgBouncer has one code, that of a broken protocol, for much that is none. */
const bouncerDenial = /no such user|password|authentication|not allowed|login (failed|rejected)/i

/** As Postgres says it; null where the error is not the server's. `EPIPE` has five letters too, but no digit. */
export function sqlStateOf(error: unknown): string | null {
  const code = (error as { code?: unknown } | null | undefined)?.code
  return typeof code === "string" && /^(?=.*\d)[0-9A-Z]{5}$/.test(code) ? code : null
}

/** Nothing of the transaction was carried out: the whole of it may go through in a moment. */
export function isRetryable(error: unknown): boolean {
  const state = sqlStateOf(error)
  return state === "40001" || state === "40P01" || state === "55P03"
}

/** The connection is of no more use; whether what was sent last was carried out is not known. */
export function isConnectionLost(error: unknown): boolean {
  const state = sqlStateOf(error)
  if (state !== null) {
    if (/^57P0[1235]$|^25P03$/.test(state) || isPlanStale(error)) return true
    return state.startsWith("08") && meaningOf(error, state) === broken
  }
  const { code, syscall } = codesOf(error)
  if (code !== null) return socketCodes.includes(code) || (code === "ENOENT" && syscall === "connect")
  return brokenText.test(messageOf(error))
}

export function translate(error: unknown, place: string): Error {
  if (isSluiceError(error)) return error.code === "store_damaged" ? toldBy(error, place) : error
  const unsafe = insecure(error, place, "sslrootcert, or see sslmode")
  if (unsafe) return unsafe
  const [code, message] = meaningOf(error, sqlStateOf(error)) ?? []
  if (code === undefined) return error as Error
  return new SluiceError(code, `${place}: ${message} (${cut(plain(messageOf(error)), 200)})`, { cause: error })
}

function meaningOf(error: unknown, state: string | null): Meaning | null {
  if (state === null) return onTheWay(error)
  const message = messageOf(error)
  if (state === "08P01" && /unsupported startup parameter/.test(message))
    return [
      "store_unfit",
      "expected what is between to pass on the options of the URL; leave them out, or add them to its ignore_startup_parameters",
    ]
  if (state === "08P01" && bouncerDenial.test(message)) return denied
  if (isPlanStale(error)) return ["store_unavailable", "expected the tables of before, but they have been migrated meanwhile; try again"]
  return meanings[state] ?? meanings[state.slice(0, 2)] ?? ["store_unfit", "expected a server that can do this"]
}

function onTheWay(error: unknown): Meaning | null {
  const { code, syscall } = codesOf(error)
  const message = messageOf(error)
  if (code !== null && unreached[code] !== undefined) return ["store_unavailable", unreached[code]]
  if (code === "ENOENT" || code === "EACCES") {
    if (syscall === "connect")
      return ["store_unavailable", "expected a server behind this socket, but none is there; start it, or check the path"]
    return ["invalid_option", "expected to read this file, which the URL names; check its path and its permissions"]
  }
  if (/^SASL|client password must be a string/.test(message)) return denied
  if (/does not support SSL|establishing an SSL connection/.test(message))
    return ["store_unfit", "expected a server that speaks TLS, but it does not; leave ssl and sslmode out, or set it up there"]
  if ((code !== null && socketCodes.includes(code)) || brokenText.test(message)) return broken
  return null
}

/** A prepared statement whose table has another shape by now: a new connection prepares it anew. */
function isPlanStale(error: unknown): boolean {
  return sqlStateOf(error) === "0A000" && /cached plan must not change result type/.test(messageOf(error))
}

function codesOf(error: unknown): { readonly code: string | null; readonly syscall: string | null } {
  const { code, syscall } = (error ?? {}) as { code?: unknown; syscall?: unknown }
  return { code: typeof code === "string" ? code : null, syscall: typeof syscall === "string" ? syscall : null }
}

/** A host with several addresses is tried at each: the error says nothing, those in it do. */
function messageOf(error: unknown): string {
  const { message, errors } = (error ?? {}) as { message?: unknown; errors?: unknown }
  if (!message && Array.isArray(errors)) return errors.map(messageOf).join(", ")
  return String(message ?? error)
}

function toldBy(cause: SluiceError, place: string): SluiceError {
  if (cause.message.startsWith(`${place}: `)) return cause
  return new SluiceError("store_damaged", `${place}: ${cause.message}; ${wayOut}`, { cause })
}
