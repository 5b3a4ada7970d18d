// Why tasks wait, in tasks and as shares of a bar.

import { type OverviewDocument, type WaitingReason, waitingReasons } from "../api/documents.ts"
import { Empty } from "../parts/page.tsx"
import { countText, percentText } from "../text/number.ts"

const words: Readonly<Record<WaitingReason, readonly [string, string]>> = {
  gate: ["At a gate", "a limit holds them, and opens by itself"],
  ready: ["Ready", "they start as soon as a worker has room"],
  not_due: ["Not due", "scheduled for later, or waiting for their next attempt"],
  no_worker: ["No worker", "no live worker handles their type"],
  unrouted: ["Unrouted", "no worker that has their code has said which gates they pass"],
}

export function Reasons({ overview }: { readonly overview: OverviewDocument }) {
  const { waiting_by_reason: reasons } = overview
  const total = waitingReasons.reduce((sum, one) => sum + reasons[one], 0)
  if (total === 0) return <Empty>Nothing waits.</Empty>
  return (
    <table>
      <thead class="hidden">
        <tr>
          <th scope="col">Reason</th>
          <th scope="col">Share</th>
          <th scope="col">Tasks</th>
        </tr>
      </thead>
      <tbody>
        {waitingReasons.map((reason) => (
          <tr key={reason} class={reasons[reason] === 0 ? "reason-none" : ""}>
            <th scope="row" class="reason-name">
              {words[reason][0]} <span class="reason-means">{words[reason][1]}</span>
            </th>
            <td class="reason-share">
              <span class="meter-track" aria-hidden="true">
                <span class="meter-bar" style={{ width: `${(reasons[reason] / total) * 100}%` }} />
              </span>
              <span class="hidden">{percentText(reasons[reason] / total)}</span>
            </td>
            <td class="number reason-count">{countText(reasons[reason])}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
