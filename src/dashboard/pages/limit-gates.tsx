// The gates of a limit, one row each.

import type { CoursePoint, GateDocument, LimitDocument } from "../api/documents.ts"
import { GateMark } from "../parts/gate-state.tsx"
import { Table } from "../parts/table.tsx"
import { countText, timesText } from "../text/number.ts"
import { Learned, Levels, Opens, Slots } from "./gate-cells.tsx"
import { GateActions } from "./limit-actions.tsx"

export interface GatesTableProps {
  readonly limit: LimitDocument | null
  readonly gates: readonly GateDocument[]
  readonly courses?: Readonly<Record<string, readonly CoursePoint[]>>
}

/** Without the limit nothing can be changed from here. */
export function GatesTable({ limit, gates, courses = {} }: GatesTableProps) {
  return (
    <Table
      label="Gates"
      isCards
      head={
        <>
          <th scope="col">Gate</th>
          <th scope="col">State</th>
          <th scope="col">Level</th>
          <th scope="col">In flight</th>
          <th scope="col">Learned</th>
          <th scope="col" class="number">
            Waiting
          </th>
          <th scope="col">Opens</th>
          <th scope="col">
            <span class="hidden">Change</span>
          </th>
        </>
      }
    >
      {gates.map((gate) => (
        <tr key={gate.gate}>
          <td class="breaks">
            <span class="strong">{limit === null ? gate.gate : gate.key === "" ? <span class="muted">without a key</span> : gate.key}</span>
            {gate.is_overridden ? <span class="under">set by hand: {gate.policy_text}</span> : null}
          </td>
          <td data-label="State">
            <GateMark gate={gate} />
            {gate.refusals > 0 ? <span class="under">refused {timesText(gate.refusals)}</span> : null}
          </td>
          <td data-label="Level">
            <Levels gate={gate} />
          </td>
          <td data-label="In flight">
            <Slots gate={gate} />
          </td>
          <td data-label="Learned">
            <Learned gate={gate} course={courses[gate.gate]} />
          </td>
          <td data-label="Waiting" class="number">
            {countText(gate.waiting_tasks)}
            {gate.waiting_calls > 0 ? <span class="under">and {countText(gate.waiting_calls)} calls</span> : null}
          </td>
          <td data-label="Opens">
            <Opens gate={gate} />
          </td>
          <td class="actions">{limit === null ? null : <GateActions target={{ limit, gate }} />}</td>
        </tr>
      ))}
    </Table>
  )
}
