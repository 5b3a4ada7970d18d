// How a server is set up, read once: who may ask, what is too much, and what must not be shown.

import { SluiceError, shown } from "../errors/index.ts"
import { anything, type Duration, listOf, parseDuration, parseSize, readOptions, type Size, wholeNumber, yesOrNo } from "../units/index.ts"
import type { MetricsOptions } from "./metrics/index.ts"
import { type Redact, redactor } from "./redact.ts"

export interface HttpOptions {
  /** May do everything. At least 128 bits; without one only this machine is served, and everybody on it may do everything. */
  readonly token?: string
  /** May look, and change nothing. */
  readonly readToken?: string
  /** Names that the server is called by, beside localhost: the Host of every request must be one of them. */
  readonly hosts?: readonly string[]
  /** The largest body of a request; "8MiB" if not given. */
  readonly maxBodyBytes?: Size
  /** Live views that are open at once; 64 if not given. */
  readonly maxStreams?: number
  /** Connections that are open at once; 1024 if not given. */
  readonly maxConnections?: number
  /** Requests a second of one client; 5000 if not given, twice as many at once. */
  readonly requestsPerSecond?: number
  /** How long a request may take to arrive; "30s" if not given. */
  readonly requestTimeout?: Duration
  /** Whether the dashboard is sent, and the last hour kept in memory for it from the start; true if not given. */
  readonly dashboard?: boolean
  /** Paths that are not shown, such as "input.password". */
  readonly redact?: readonly string[]
  /** Of /metrics: what "near expiration" means, and whether each key has a series of its own. */
  readonly metrics?: MetricsOptions
  /** Hears of every change that somebody has asked for, and of what went wrong in the server itself. */
  readonly log?: (line: LogLine) => void
}

export interface LogLine {
  readonly level: "info" | "warn" | "error"
  readonly event: "audit" | "http.error"
  readonly fields: Readonly<Record<string, unknown>>
}

export interface HttpSettings {
  readonly token: string | null
  readonly readToken: string | null
  readonly hosts: readonly string[]
  readonly maxBodyBytes: number
  readonly maxStreams: number
  readonly maxConnections: number
  readonly requestsPerSecond: number
  readonly requestTimeoutMs: number
  readonly dashboard: boolean
  readonly redact: Redact
  readonly metrics: MetricsOptions
  readonly log: (line: LogLine) => void
}

export const httpDefaults = {
  port: 8_400,
  host: "127.0.0.1",
  maxBodyBytes: 8 * 1_024 * 1_024,
  maxStreams: 64,
  maxConnections: 1_024,
  requestsPerSecond: 5_000,
  requestTimeoutMs: 30_000,
} as const

export const httpReaders = {
  token: readToken,
  readToken,
  hosts: listOf(readHost, 64),
  maxBodyBytes: parseSize,
  maxStreams: wholeNumber(0, 100_000),
  maxConnections: wholeNumber(1, 1_000_000),
  requestsPerSecond: wholeNumber(1, 1_000_000),
  requestTimeout: parseDuration,
  dashboard: yesOrNo,
  redact: listOf((name, value) => (typeof value === "string" ? value : refuseText(name, value)), 1_000),
  metrics: anything<MetricsOptions>(),
  log: anything<(line: LogLine) => void>(),
}

export function httpSettings(where: string, options: HttpOptions | undefined): HttpSettings {
  const read = readOptions(where, options, httpReaders)
  if (read.readToken !== undefined && read.readToken === read.token)
    throw new SluiceError("invalid_option", `${where}: readToken: expected another than the token that may do everything`)
  if (read.readToken !== undefined && read.token === undefined)
    throw new SluiceError("invalid_option", `${where}: readToken: expected a token beside it; without one nobody could change anything`)
  return {
    token: read.token ?? null,
    readToken: read.readToken ?? null,
    hosts: read.hosts ?? [],
    maxBodyBytes: read.maxBodyBytes ?? httpDefaults.maxBodyBytes,
    maxStreams: read.maxStreams ?? httpDefaults.maxStreams,
    maxConnections: read.maxConnections ?? httpDefaults.maxConnections,
    requestsPerSecond: read.requestsPerSecond ?? httpDefaults.requestsPerSecond,
    requestTimeoutMs: read.requestTimeout ?? httpDefaults.requestTimeoutMs,
    dashboard: read.dashboard ?? true,
    redact: redactor(read.redact ?? []),
    metrics: read.metrics ?? {},
    log: read.log ?? (() => {}),
  }
}

/** 128 bits are 32 digits of base 16, or 22 of base 64. Never quoted: it may be the right one, cut short. */
function readToken(name: string, value: unknown): string {
  const isText = typeof value === "string" && /^[A-Za-z0-9._~+/=-]{1,1024}$/.test(value)
  const isLong = isText && value.length >= (/^[0-9a-f]+$/i.test(value) ? 32 : 22) && new Set(value).size >= 8
  if (isLong) return value
  const what = isText ? `one of ${value.length} characters` : "something else"
  throw new SluiceError(
    "invalid_option",
    `${name}: expected a random token of at least 128 bits, such as 32 digits of base 16 or 22 of base 64, got ${what}; make one with: openssl rand -hex 32`,
  )
}

function readHost(name: string, value: unknown): string {
  if (typeof value === "string" && /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:\d{1,5})?$/i.test(value)) return value.toLowerCase()
  throw new SluiceError("invalid_option", `${name}: expected the name of a host such as "queue.example.com", got ${shown(value)}`)
}

function refuseText(name: string, value: unknown): never {
  throw new SluiceError("invalid_option", `${name}: expected text, got ${shown(value)}`)
}
