// `s3://bucket/prefix?region=eu-central-1` for AWS, and with `endpoint=https://…` for servers that speak the same. Keys may stand in the URL
// (`s3://key:secret@bucket`); they are better found the usual way.

import { SluiceError, shown } from "../../errors/index.ts"
import { maskPassword, nearest, parseDuration } from "../../units/index.ts"

export interface Location {
  readonly bucket: string
  /** Without slashes at its ends; "" for none. */
  readonly prefix: string
  /** Null: AWS. */
  readonly endpoint: string | null
  /** Null: as the environment says. */
  readonly region: string | null
  readonly accessKeyId: string | null
  readonly secretAccessKey: string | null
  /** How rarely somebody who waits looks at most. */
  readonly pollMs: number
  /** How long a call waits for a server that does not answer, or is busy. */
  readonly patienceMs: number
}

const defaultPollMs = 5_000
const defaultPatienceMs = 20_000
const longestMs = 10 * 60_000
const known = ["endpoint", "region", "poll", "timeout"]

export function parseLocation(url: string): Location {
  const [, credentials, bucket = "", path = "", query = ""] =
    /^s3:\/\/(?:([^/?#]*)@)?([^/?#@]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/.exec(url) ?? []
  const wrong = (expected: string) => new SluiceError("unknown_store", `store ${shown(maskPassword(url))}: expected ${expected}`)
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket))
    throw wrong('a URL such as "s3://bucket/prefix?region=eu-central-1", with the name of a bucket (3 to 63 of a-z, 0-9, "." and "-")')
  const prefix = path.replace(/^\/+|\/+$/g, "")
  if (prefix.split("/").some((part) => !/^[A-Za-z0-9_.:-]{0,128}$/.test(part) || /^\.+$/.test(part) || (part === "" && prefix !== "")))
    throw wrong(`a prefix of names such as "team/queue" (A-Z, a-z, 0-9, "_", ".", ":", "-"), got ${shown(path)}`)
  const at = credentials?.indexOf(":") ?? -1
  if (credentials !== undefined && at < 1) throw wrong('"key:secret" before the "@"')
  return {
    ...{ bucket, prefix, ...readQuery(url, query) },
    accessKeyId: credentials === undefined ? null : decode(credentials.slice(0, at)),
    secretAccessKey: credentials === undefined ? null : decode(credentials.slice(at + 1)),
  }
}

/** As it is shown in messages: no credentials. */
export function placeOf({ bucket, prefix, endpoint }: Pick<Location, "bucket" | "prefix" | "endpoint">): string {
  return `s3 ${bucket}${prefix === "" ? "" : `/${prefix}`}${endpoint === null ? "" : ` at ${endpoint}`}`
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function readQuery(url: string, query: string): Pick<Location, "endpoint" | "region" | "pollMs" | "patienceMs"> {
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
  return {
    endpoint: readEndpoint(where, options.get("endpoint")),
    region: options.get("region"),
    pollMs: readTime(`${where}: poll`, options.get("poll")) ?? defaultPollMs,
    patienceMs: readTime(`${where}: timeout`, options.get("timeout")) ?? defaultPatienceMs,
  }
}

function readEndpoint(where: string, text: string | null): string | null {
  if (text === null) return null
  const url = URL.canParse(text) ? new URL(text) : null
  const isPlain = url && /^https?:$/.test(url.protocol) && url.search === "" && url.hash === "" && url.username === ""
  if (isPlain) return url.href.replace(/\/+$/, "")
  throw new SluiceError("invalid_option", `${where}: endpoint: expected a URL such as "https://s3.example.com", got ${shown(text)}`)
}

function readTime(name: string, text: string | null): number | null {
  if (text === null) return null
  const ms = parseDuration(name, text)
  if (ms >= 10 && ms <= longestMs) return ms
  throw new SluiceError("invalid_option", `${name}: expected 10ms to 10m, got ${shown(text)}`)
}
