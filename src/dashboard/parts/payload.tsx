// A payload as text, and as nothing but text. A long one is cut until somebody wants all of it.

import { useState } from "preact/hooks"
import { jsonText, shownChars } from "../text/json.ts"
import { countText } from "../text/number.ts"

export function Payload({ title, value }: { readonly title: string; readonly value: unknown }) {
  const [isWhole, setWhole] = useState(false)
  const text = jsonText(value)
  const isCut = !isWhole && text.length > shownChars
  return (
    <section class="panel">
      <h2>{title}</h2>
      {/* biome-ignore-start lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
      {/* biome-ignore-start lint/a11y/useSemanticElements: it keeps its spaces and lines */}
      <pre class="payload" tabIndex={0} aria-label={title} role="region">
        {isCut ? text.slice(0, shownChars) : text}
      </pre>
      {/* biome-ignore-end lint/a11y/useSemanticElements: it keeps its spaces and lines */}
      {/* biome-ignore-end lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
      {isCut ? (
        <p class="note">
          {countText(shownChars)} of {countText(text.length)} characters.{" "}
          <button type="button" class="link" onClick={() => setWhole(true)}>
            Show all of it
          </button>
        </p>
      ) : null}
    </section>
  )
}
