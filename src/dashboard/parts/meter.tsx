// How much of something is used, as a bar and in figures.

import { countText } from "../text/number.ts"

export interface MeterProps {
  readonly label: string
  readonly used: number
  readonly of: number
  /** Behind the figures: "in 10s". */
  readonly unit?: string
}

export function Meter({ label, used, of, unit = "" }: MeterProps) {
  const share = of > 0 ? Math.min(1, used / of) : 0
  const text = `${countText(used)} of ${countText(of)}${unit === "" ? "" : ` ${unit}`}`
  return (
    <span class={`meter ${share >= 1 ? "meter-full" : ""}`}>
      {/* biome-ignore lint/a11y/useSemanticElements: a <meter> cannot be drawn alike in all browsers */}
      <span
        class="meter-track"
        role="meter"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={of}
        aria-valuenow={Math.min(used, of)}
        aria-valuetext={text}
      >
        <span class="meter-bar" style={{ width: `${share * 100}%` }} />
      </span>
      <span class="meter-text">{text}</span>
    </span>
  )
}
