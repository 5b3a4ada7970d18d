// A table in a frame of its own: where it is wider than the screen it scrolls by itself, never the page.

import type { ComponentChildren } from "preact"

export interface TableProps {
  readonly label: string
  /** On a narrow screen each row is a card, its cells named by their `data-label`. */
  readonly isCards?: boolean
  readonly head: ComponentChildren
  readonly children: ComponentChildren
}

export function Table({ label, isCards = false, head, children }: TableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    // biome-ignore lint/a11y/useSemanticElements: the page has sections of its own, this is where one scrolls
    <div class="table-frame" tabIndex={0} role="region" aria-label={label}>
      <table class={isCards ? "cards" : ""}>
        <thead>
          <tr>{head}</tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  )
}
