// `redis://user:password@host:6379/0` and `rediss://` (TLS): where the server is, who asks, and how long to wait for it. Several hosts,
// or `?cluster=true`, name nodes of a cluster, from which the one that has the namespace is found.

import { SluiceError, shown } from "../../errors/index.ts"
import { maskPassword, nearest, parseDuration, parseName } from "../../units/index.ts"

export interface Host {
  readonly host: string
  readonly port: number
}

export interface Location {
  readonly hosts: readonly [Host, ...Host[]]
  readonly isCluster: boolean
  readonly isTls: boolean
  readonly username: string | null
  readonly password: string | null
  readonly database: number
  /** What all keys begin with, so that several may share a server. */
  readonly prefix: string
  /** How long a call waits for a connection before it fails. */
  readonly patienceMs: number
}

const defaultPort = 6379
const defaultPatienceMs = 5_000
const longestPatienceMs = 10 * 60_000
const defaultPrefix = "sluice"
const known = ["cluster", "timeout", "prefix"]

export function parseLocation(url: string): Location {
  const [, scheme, credentials, hostList = "", path = "", query = ""] =
    /^(rediss?):\/\/(?:([^/?#]*)@)?([^/?#@]*)(?:\/([^?#@]*))?(?:\?([^#@]*))?$/.exec(url) ?? []
  const wrong = (expected: string) => new SluiceError("unknown_store", `store ${shown(maskPassword(url))}: expected ${expected}`)
  if (scheme === undefined) {
    throw wrong('a URL such as "redis://user:password@host:6379/0", with what is special in a password written as in URLs ("@" as %40)')
  }
  const hosts = (hostList === "" ? ["localhost"] : hostList.split(",")).map((text) => {
    const host = parseHost(text)
    if (!host) throw wrong(`hosts as "host", "host:6379" or "[::1]:6379", separated by ",", got ${shown(text)}`)
    return host
  })
  const options = readQuery(url, query)
  if (!/^\d{0,9}$/.test(path)) throw wrong(`the number of a database behind the host, got ${shown(path)}`)
  const database = Number(path)
  const isCluster = options.isCluster ?? hosts.length > 1
  if (!isCluster && hosts.length > 1) throw wrong("one host, or without cluster=false several of one cluster")
  if (isCluster && database !== 0) throw wrong(`database 0, the only one that a cluster has, got ${database}`)
  const [username, password] = readCredentials(credentials)
  const [first, ...others] = hosts as [Host, ...Host[]]
  return {
    ...{ hosts: [first, ...others], isCluster, isTls: scheme === "rediss", username, password, database },
    patienceMs: options.patienceMs ?? defaultPatienceMs,
    prefix: options.prefix ?? defaultPrefix,
  }
}

/** As it is shown in messages: no credentials. */
export function placeOf({ hosts }: Pick<Location, "hosts">): string {
  return `redis ${hosts.map(hostText).join(",")}`
}

export function hostText({ host, port }: Host): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`
}

function parseHost(text: string): Host | null {
  const [, bracketed, plain, digits] = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]\s]+))(?::(\d{1,5}))?$/.exec(text) ?? []
  const host = bracketed ?? plain
  const port = digits === undefined ? defaultPort : Number(digits)
  return host === undefined || port < 1 || port > 65_535 ? null : { host, port }
}

function readCredentials(text: string | undefined): [string | null, string | null] {
  if (text === undefined) return [null, null]
  const at = text.indexOf(":")
  const username = decode(at === -1 ? text : text.slice(0, at))
  const password = at === -1 ? "" : decode(text.slice(at + 1))
  return [username === "" ? null : username, password === "" ? null : password]
}

/** A "%" that begins no code stands for itself. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

interface Options {
  readonly isCluster: boolean | null
  readonly patienceMs: number | null
  readonly prefix: string | null
}

function readQuery(url: string, query: string): Options {
  const options = new URLSearchParams(query)
  const where = `store ${shown(maskPassword(url))}`
  for (const name of options.keys()) {
    if (known.includes(name)) continue
    const near = nearest(name, known)
    throw new SluiceError(
      "invalid_option",
      `${where}: expected the options ${known.join(", ")}, got ${shown(name)}${near ? `; did you mean "${near}"?` : ""}`,
    )
  }
  const cluster = options.get("cluster")
  if (cluster !== null && cluster !== "true" && cluster !== "false")
    throw new SluiceError("invalid_option", `${where}: cluster: expected true or false, got ${shown(cluster)}`)
  const timeout = options.get("timeout")
  const patienceMs = timeout === null ? null : parseDuration(`${where}: timeout`, timeout)
  if (patienceMs !== null && (patienceMs < 1 || patienceMs > longestPatienceMs))
    throw new SluiceError("invalid_option", `${where}: timeout: expected 1ms to 10m, got ${shown(timeout)}`)
  const prefix = options.get("prefix")
  return {
    isCluster: cluster === null ? null : cluster === "true",
    patienceMs,
    prefix: prefix === null ? null : parseName(`${where}: prefix`, prefix),
  }
}
