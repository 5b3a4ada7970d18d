// How far something is: a bar for the eye, a figure for everybody.

import { percentText } from "../text/number.ts"

export function Progress({ label, share }: { readonly label: string; readonly share: number }) {
  return (
    <span class="progress">
      <span
        class="meter-track"
        role="progressbar"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.floor(share * 100)}
      >
        <span class="meter-bar" style={{ width: `${Math.min(1, share) * 100}%` }} />
      </span>
      <span class="meter-text">{percentText(share)}</span>
    </span>
  )
}
