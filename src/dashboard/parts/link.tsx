// Links within the page.

import type { ComponentChildren } from "preact"
import { addressOf, type PageName } from "../address.ts"

export interface LinkProps {
  readonly page: PageName
  readonly id?: string | null
  readonly query?: Readonly<Record<string, string>>
  readonly class?: string
  readonly title?: string
  readonly children: ComponentChildren
}

export function Link({ page, id = null, query = {}, children, ...others }: LinkProps) {
  return (
    <a href={addressOf(page, id, query)} {...others}>
      {children}
    </a>
  )
}

/** Ids are alike in front (they begin with the time): the end tells them apart. */
export function TaskLink({ id }: { readonly id: string }) {
  return (
    <Link page="tasks" id={id} class="mono whole" title={id}>
      {id.length > 18 ? `…${id.slice(-12)}` : id}
    </Link>
  )
}

/** "limit/key" leads to the limit. */
export function GateLink({ gate }: { readonly gate: string }) {
  const slash = gate.indexOf("/")
  return (
    <Link page="limits" id={slash === -1 ? gate : gate.slice(0, slash)} class="breaks">
      {gate}
    </Link>
  )
}
