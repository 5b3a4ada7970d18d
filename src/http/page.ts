// The dashboard's files: read once, served by their names alone, so that no path leads anywhere else. Scripts and styles carry a nonce of
// the answer, and nothing is loaded from elsewhere.

import { existsSync, readdirSync, readFileSync } from "node:fs"
import { extname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { randomHex, type World } from "../world/index.ts"
import { securityHeaders } from "./guards.ts"

const folder = fileURLToPath(new URL("../dashboard/", import.meta.url))

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".json": "application/json; charset=utf-8",
  ".woff2": "font/woff2",
}
const placeholder = "{{nonce}}"
const notBuilt =
  '<!doctype html><html lang="en"><meta charset="utf-8"><title>Sluice</title><p>The dashboard was not built. The API is at /openapi.json.</p></html>'

export class Page {
  private readonly world: World
  private readonly index: string
  private readonly files = new Map<string, { readonly type: string; readonly bytes: Buffer }>()

  constructor(world: World) {
    this.world = world
    const index = join(folder, "index.html")
    this.index = existsSync(index) ? readFileSync(index, "utf8") : notBuilt
    if (!existsSync(index)) return
    for (const name of readdirSync(folder)) {
      const type = types[extname(name)]
      if (type !== undefined && name !== "index.html") this.files.set(name, { type, bytes: readFileSync(join(folder, name)) })
    }
  }

  /** The same for every path of the page: it reads from the address what to show. */
  answerIndex(): Response {
    const nonce = randomHex(this.world, 32)
    const policy = [
      "default-src 'none'",
      `script-src 'nonce-${nonce}' 'strict-dynamic'`,
      `style-src 'nonce-${nonce}'`,
      "connect-src 'self'",
      "img-src 'self' data:",
      "font-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join("; ")
    const html = this.index.replaceAll(placeholder, nonce)
    return new Response(html, {
      headers: { ...securityHeaders, "content-security-policy": policy, "content-type": "text/html; charset=utf-8" },
    })
  }

  answerFile(name: string): Response | null {
    const found = this.files.get(name)
    return found ? new Response(new Uint8Array(found.bytes), { headers: { ...securityHeaders, "content-type": found.type } }) : null
  }
}
