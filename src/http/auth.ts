// Who asks: by the token in the Authorization header, and by nothing else. Tokens are kept as hashes and compared in constant time.

import { createHash, timingSafeEqual } from "node:crypto"
import { SluiceError } from "../errors/index.ts"
import type { Access } from "./route.ts"

export type Role = "admin" | "read"

const bearer = /^Bearer +([A-Za-z0-9._~+/=-]{1,1024})$/i

export class Tokens {
  private readonly known: readonly { readonly role: Role; readonly digest: Buffer }[]

  constructor({ token, readToken }: { readonly token: string | null; readonly readToken: string | null }) {
    const known = [
      { role: "admin" as const, token },
      { role: "read" as const, token: readToken },
    ]
    this.known = known.flatMap((one) => (one.token === null ? [] : [{ role: one.role, digest: digestOf(one.token) }]))
  }

  /** Throws where that is not enough. Without tokens the server listens to this machine alone, and whoever is on it may do everything. */
  check(header: string | null, needed: Access): Role | null {
    const role = this.roleOf(header)
    if (needed === "anyone") return role
    if (role === null)
      throw new SluiceError("unauthorized", "expected a token of this server in the header Authorization: Bearer …, got none or another")
    if (needed === "admin" && role !== "admin")
      throw new SluiceError("forbidden", "expected the token that may change something, got the one that may only look")
    return role
  }

  /** All are compared, whichever it is: how long that takes tells nothing. */
  private roleOf(header: string | null): Role | null {
    if (this.known.length === 0) return "admin"
    const given = digestOf(bearer.exec(header ?? "")?.[1] ?? "")
    let found: Role | null = null
    for (const { role, digest } of this.known) if (timingSafeEqual(digest, given)) found = role
    return found
  }
}

function digestOf(token: string): Buffer {
  return createHash("sha256").update(token).digest()
}
