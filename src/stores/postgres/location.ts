// `postgres://user:password@host:5432/database?schema=sluice`: what is Sluice's in it is read here and taken out; the rest goes to `pg`
// as it is, which knows what TLS, sockets and the environment (PGHOST, PGPASSWORD, ...) mean.

import { SluiceError, shown } from "../../errors/index.ts"
import { maskPassword, nearest, parseDuration } from "../../units/index.ts"
import { parseSchema } from "./schema.ts"

export interface Location {
  /** For `pg`: the URL without what is Sluice's. */
  readonly connectionString: string
  /** As far as the URL says: null leaves it to `pg` and the environment. A path is the folder of a Unix socket. */
  readonly host: string | null
  readonly port: number | null
  readonly database: string | null
  readonly schema: string
  /** How long a call waits for a connection before it fails. */
  readonly patienceMs: number
  /** How many connections a process has at most. */
  readonly poolSize: number
  /** Statements are prepared once a connection; not where PgBouncer gives each transaction another one. */
  readonly isPreparing: boolean
  /** News is listened for; without it, it is asked for. */
  readonly isListening: boolean
}

const defaults = { schema: "sluice", patienceMs: 5_000, poolSize: 10 }
const longestPatienceMs = 10 * 60_000
const largestPool = 1_000
const own = ["schema", "timeout", "pool", "prepare", "listen"]
/** What `pg` makes something of. */
const passedOn = [
  ...["ssl", "sslmode", "sslcert", "sslkey", "sslrootcert", "sslnegotiation", "uselibpqcompat"],
  ...["host", "port", "user", "application_name", "fallback_application_name", "client_encoding", "options"],
  ...["statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout", "query_timeout"],
]
const sslModes = ["disable", "prefer", "require", "verify-ca", "verify-full", "no-verify"]
const shape = /^postgres(?:ql)?:\/\/(?:([^/?#]*)@)?([^/?#@]*)(?:\/([^?#@]*))?(?:\?([^#@]*))?$/

export function parseLocation(url: string): Location {
  const [whole, credentials, hostText = "", path = "", query = ""] = shape.exec(url) ?? []
  const where = `store ${shown(maskPassword(url).replace(/([?&]password=)[^&]*/gi, "$1***"))}`
  const wrong = (expected: string) => new SluiceError("unknown_store", `${where}: expected ${expected}`)
  if (whole === undefined) {
    const special = 'with what is special in a password written as in URLs ("@" as %40, "#" as %23)'
    throw wrong(`a URL such as "postgres://user:password@host:5432/database", ${special}`)
  }
  const at = readHost(hostText)
  if (!at)
    throw wrong(`one host as "host", "host:5432", "[::1]:5432" or a socket's folder as "%2Frun%2Fpostgresql", got ${shown(hostText)}`)
  const options = new URLSearchParams(query)
  checkNames(where, options)
  const rest = restOf(where, options)
  const port = options.get("port")
  if (port !== null && !isPort(port)) throw wrong(`a port from 1 to 65535, got ${shown(port)}`)
  return {
    connectionString: `postgres://${encodeCredentials(credentials)}${hostText}/${path}${rest === "" ? "" : `?${rest}`}`,
    // As `pg` has it: what stands behind the "?" goes before.
    host: options.get("host") || at.host,
    port: port === null ? at.port : Number(port),
    database: path === "" ? null : decode(path),
    ...readOwn(where, options),
  }
}

/** As it is shown in messages: no credentials. */
export function placeOf({ host, port, database }: Location, env: Readonly<Record<string, string | undefined>> = process.env): string {
  const shownHost = host ?? (env.PGHOST || "localhost")
  const shownPort = port ?? (env.PGPORT || 5432)
  const at = shownHost.includes(":") ? `[${shownHost}]:${shownPort}` : `${shownHost}:${shownPort}`
  const name = database ?? env.PGDATABASE
  return `postgres ${at}${name ? `/${name}` : ""}`
}

function readHost(text: string): { readonly host: string | null; readonly port: number | null } | null {
  if (text === "") return { host: null, port: null }
  const [, bracketed, plain, digits] = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]\s,]+))(?::(\d{1,5}))?$/.exec(text) ?? []
  const host = bracketed ?? plain
  if (host === undefined || (digits !== undefined && !isPort(digits))) return null
  return { host: decode(host), port: digits === undefined ? null : Number(digits) }
}

function isPort(digits: string): boolean {
  return /^\d{1,5}$/.test(digits) && Number(digits) >= 1 && Number(digits) <= 65_535
}

/** Written anew, since `pg` fails at a "%" that begins no code: here it stands for itself. */
function encodeCredentials(text: string | undefined): string {
  if (text === undefined) return ""
  const at = text.indexOf(":")
  const [user, password] = at === -1 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)]
  return `${encodeURIComponent(decode(user))}${password === "" ? "" : `:${encodeURIComponent(decode(password))}`}@`
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function checkNames(where: string, options: URLSearchParams): void {
  const known = [...own, ...passedOn]
  for (const name of options.keys()) {
    if (known.includes(name)) {
      if (options.getAll(name).length > 1) throw new SluiceError("invalid_option", `${where}: ${name}: expected it once`)
      continue
    }
    // It would show wherever the URL does.
    if (name.toLowerCase() === "password")
      throw new SluiceError("invalid_option", `${where}: expected the password before the host, as in "postgres://user:password@host"`)
    const near = name === "connect_timeout" ? "timeout" : nearest(name, known)
    const hint = near ? `; did you mean "${near}"?` : ""
    throw new SluiceError("invalid_option", `${where}: expected the options ${known.join(", ")}, got ${shown(name)}${hint}`)
  }
}

/** What is handed on, checked where `pg` would take a wrong word for a right one. */
function restOf(where: string, options: URLSearchParams): string {
  const rest = new URLSearchParams([...options].filter(([name]) => !own.includes(name)))
  const ssl = rest.get("ssl")
  if (ssl !== null && !["true", "false", "1", "0", "no-verify"].includes(ssl))
    throw new SluiceError("invalid_option", `${where}: ssl: expected true, false or no-verify, got ${shown(ssl)}`)
  // The word "false" is a text as any other to it, and true.
  if (ssl === "false") rest.set("ssl", "0")
  const mode = rest.get("sslmode")
  if (mode !== null && !sslModes.includes(mode))
    throw new SluiceError("invalid_option", `${where}: sslmode: expected ${sslModes.join(", ")}, got ${shown(mode)}`)
  return rest.toString()
}

function readOwn(
  where: string,
  options: URLSearchParams,
): Pick<Location, "schema" | "patienceMs" | "poolSize" | "isPreparing" | "isListening"> {
  const [schema, timeout, pool] = ["schema", "timeout", "pool"].map((name) => options.get(name) ?? undefined)
  const patienceMs = timeout === undefined ? defaults.patienceMs : parseDuration(`${where}: timeout`, timeout)
  if (patienceMs < 1 || patienceMs > longestPatienceMs)
    throw new SluiceError("invalid_option", `${where}: timeout: expected 1ms to 10m, got ${shown(timeout)}`)
  const poolSize = pool === undefined ? defaults.poolSize : /^\d{1,6}$/.test(pool) ? Number(pool) : 0
  if (poolSize < 1 || poolSize > largestPool)
    throw new SluiceError("invalid_option", `${where}: pool: expected 1 to ${largestPool} connections, got ${shown(pool)}`)
  const isOn = (name: string) => {
    const value = options.get(name) ?? "true"
    if (value === "true" || value === "false") return value === "true"
    throw new SluiceError("invalid_option", `${where}: ${name}: expected true or false, got ${shown(value)}`)
  }
  return {
    schema: schema === undefined ? defaults.schema : parseSchema(`${where}: schema`, schema),
    ...{ patienceMs, poolSize, isPreparing: isOn("prepare"), isListening: isOn("listen") },
  }
}
