// The address of the page as a signal.

import { signal } from "@preact/signals"
import { type Address, addressOf, type PageName, parseAddress } from "./address.ts"

export const address = signal<Address>(parseAddress(location.hash))

export function followAddress(): void {
  addEventListener("hashchange", () => {
    address.value = parseAddress(location.hash)
  })
}

export function go(page: PageName, id: string | null = null, query: Readonly<Record<string, string>> = {}): void {
  location.hash = addressOf(page, id, query)
}

/** For what belongs to the same view, such as a filter: going back leaves it as a whole. */
export function replaceQuery(query: Readonly<Record<string, string>>): void {
  const { page, id } = address.value
  if (page === null) return
  history.replaceState(null, "", addressOf(page, id, query))
  address.value = parseAddress(location.hash)
}
