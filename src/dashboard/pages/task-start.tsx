// Why a task has not started and when it will: a countdown by the server's clock, and the explanation in its words.

import { nowMs } from "../api/clock.ts"
import type { ExplanationDocument, TaskDocument } from "../api/documents.ts"
import { GateLink } from "../parts/link.tsx"
import { leftText } from "../text/duration.ts"

export function TaskStart({ task, explanation }: { readonly task: TaskDocument; readonly explanation: ExplanationDocument | null }) {
  const lines = explanation?.text.split("\n") ?? []
  return (
    <section class="panel start" aria-label="Why, and when">
      {task.status === "pending" ? <Countdown task={task} explanation={explanation} /> : null}
      <div class="explanation">
        {lines.map((line) => (
          <p key={line} class="breaks">
            {line}
          </p>
        ))}
        {task.last_error === null || task.status === "failed" ? null : (
          <p class="alert breaks">
            <b>Last error:</b> {task.last_error}
          </p>
        )}
      </div>
    </section>
  )
}

function Countdown({ task, explanation }: { readonly task: TaskDocument; readonly explanation: ExplanationDocument | null }) {
  const at = task.estimated_start_at ?? explanation?.forecast?.at ?? null
  const leftMs = at === null ? null : Date.parse(at) - nowMs.value
  return (
    <div class="start-count">
      <span class="start-label">{leftMs === null ? "Starts" : leftMs > 0 ? "Starts in" : "Starts"}</span>
      <span class="start-value" data-testid="countdown">
        {leftMs === null ? "cannot be said" : leftText(leftMs)}
      </span>
      {explanation?.held_by == null ? null : (
        <span class="under">
          held by <GateLink gate={explanation.held_by} />
          {explanation.position === null ? "" : `, number ${explanation.position} in its lane`}
        </span>
      )}
      {explanation?.expires_first ? <span class="tone-bad">will expire first</span> : null}
    </div>
  )
}
