// The buttons of a limit or a gate. Whoever may only look does not see them.

import { nowMs } from "../api/clock.ts"
import { mayChange } from "../api/session.ts"
import { Icon } from "../parts/icon.tsx"
import { askClose, askEdit, askForget, askPause, askReset, askResume, nameOf, type Target } from "./limit-changes.ts"

interface Action {
  readonly word: string
  readonly ask: (target: Target) => void
}

function actionsOf({ limit, gate }: Target): Action[] {
  const setting = limit.settings[gate.key]
  const isClosed = gate.closed_until !== null && Date.parse(gate.closed_until) > nowMs.value
  const isCooling = gate.cooldown !== null && Date.parse(gate.cooldown.until) > nowMs.value
  const isChanged = setting !== undefined || gate.is_overridden || isCooling
  return [
    { word: "Edit", ask: askEdit },
    gate.is_paused ? { word: "Resume", ask: askResume } : { word: "Pause", ask: askPause },
    ...(isClosed ? [] : [{ word: "Close", ask: askClose }]),
    ...(isChanged ? [{ word: "Reset", ask: askReset }] : []),
    ...(gate.learned === null ? [] : [{ word: "Forget", ask: askForget }]),
  ]
}

export function LimitActions({ target }: { readonly target: Target }) {
  if (!mayChange.value) return null
  return (
    <>
      {actionsOf(target).map(({ word, ask }) => (
        <button key={word} type="button" onClick={() => ask(target)}>
          {word}
        </button>
      ))}
    </>
  )
}

/** In a row: behind one button, so that a long table stays calm. */
export function GateActions({ target }: { readonly target: Target }) {
  if (!mayChange.value) return null
  return (
    <details class="menu" onKeyDown={closeOnEscape} onFocusOut={closeOnLeave}>
      <summary aria-label={`Change ${nameOf(target)}`}>
        <Icon name="more" />
      </summary>
      <div class="menu-items">
        {actionsOf(target).map(({ word, ask }) => (
          <button
            key={word}
            type="button"
            onClick={(event) => {
              event.currentTarget.closest("details")?.removeAttribute("open")
              ask(target)
            }}
          >
            {word}
          </button>
        ))}
      </div>
    </details>
  )
}

function closeOnEscape(event: KeyboardEvent): void {
  const menu = event.currentTarget as HTMLDetailsElement
  if (event.key !== "Escape" || !menu.open) return
  menu.open = false
  menu.querySelector("summary")?.focus()
}

function closeOnLeave(event: FocusEvent): void {
  const menu = event.currentTarget as HTMLDetailsElement
  if (!menu.contains(event.relatedTarget as Node | null)) menu.open = false
}
