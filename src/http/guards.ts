// What is looked at before anybody asks who it is: the name that the server was called by, and whether a page of somebody else's has sent
// the request. A browser that was told that evil.test is 127.0.0.1 sends `Host: evil.test`, and that is how it is known.

import { SluiceError, shown } from "../errors/index.ts"
import type { Method } from "./route.ts"

const loopback = ["localhost", "127.0.0.1", "[::1]"]

export function isLoopback(host: string): boolean {
  return loopback.includes(host.toLowerCase()) || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host)
}

export class Hosts {
  private readonly allowed: ReadonlySet<string>

  /** Those of loopback with any port; the others with any port, or with the one that is named. */
  constructor(names: readonly string[]) {
    this.allowed = new Set([...loopback, ...names.map((name) => name.toLowerCase())])
  }

  check(header: string | null): void {
    const host = (header ?? "").toLowerCase()
    if (this.allowed.has(host) || this.allowed.has(host.replace(/:\d{1,5}$/, ""))) return
    throw new SluiceError(
      "wrong_host",
      `Host: expected a name that this server is called by, got ${shown(host)}; name it with --allow-host`,
    )
  }
}

/** Bearer tokens are no cookies, so no page of another can use them; without tokens this is what keeps it out. */
export function checkOrigin(method: Method, headers: Headers): void {
  if (method === "get") return
  const site = headers.get("sec-fetch-site")
  if (site !== null && site !== "same-origin" && site !== "none")
    throw new SluiceError("forbidden", `Sec-Fetch-Site: expected a request by a page of this server or by no page, got ${shown(site)}`)
  const origin = headers.get("origin")
  if (origin !== null && hostOf(origin) !== (headers.get("host") ?? "").toLowerCase())
    throw new SluiceError("forbidden", `Origin: expected a page of this server, got ${shown(origin)}`)
}

function hostOf(origin: string): string | null {
  try {
    return new URL(origin).host.toLowerCase()
  } catch {
    return null
  }
}

/** A form can send text and forms to anybody; JSON it cannot. */
export function checkContentType(method: Method, headers: Headers): void {
  if (method === "get") return
  const type = headers.get("content-type") ?? ""
  if (/^application\/json\s*(;\s*charset=utf-8\s*)?$/i.test(type)) return
  throw new SluiceError("unsupported_media_type", `Content-Type: expected application/json, got ${type === "" ? "none" : shown(type)}`)
}

export const securityHeaders: Readonly<Record<string, string>> = {
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=()",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  "cache-control": "no-store",
}
