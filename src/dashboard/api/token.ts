// The token of whoever looks: asked for when the server wants one, kept by the tab alone, sent in a header and never in an address.

import { signal } from "@preact/signals"
import { keptToken } from "../browser.ts"

export const token = signal<string | null>(keptToken.read())

/** True while the server refuses to show anything without a token, or with the one that there is. */
export const isTokenWanted = signal(false)

export function takeToken(value: string | null): void {
  keptToken.write(value)
  token.value = value
  isTokenWanted.value = false
}

export function refuseToken(): void {
  keptToken.write(null)
  isTokenWanted.value = true
}
