// The frame of a page: its heading, which has the focus when the page is opened, what can be done, and what went wrong.

import type { ComponentChildren } from "preact"
import { useEffect, useRef } from "preact/hooks"

export interface PageProps {
  readonly title: string
  /** Beside the title: a status, an id. */
  readonly beside?: ComponentChildren
  readonly actions?: ComponentChildren
  readonly error?: string | null
  readonly children: ComponentChildren
}

let isFirst = true

export function Page({ title, beside, actions, error = null, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} · Sluice`
  }, [title])
  useEffect(() => {
    // Whoever has just opened the page begins at its beginning.
    if (!isFirst) heading.current?.focus()
    isFirst = false
  }, [])
  return (
    <>
      <div class="page-head">
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {beside}
        <div class="page-actions">{actions}</div>
      </div>
      {error === null ? null : (
        <p class="alert" role="alert">
          {error}
        </p>
      )}
      {children}
    </>
  )
}

export function Panel({
  title,
  note,
  children,
}: {
  readonly title: string
  readonly note?: ComponentChildren
  readonly children: ComponentChildren
}) {
  return (
    <section class="panel">
      <h2>
        {title}
        {note === undefined ? null : <span class="panel-note">{note}</span>}
      </h2>
      {children}
    </section>
  )
}

/** What is shown where a list is empty: why, and what to do. */
export function Empty({ children }: { readonly children: ComponentChildren }) {
  return <p class="empty">{children}</p>
}
