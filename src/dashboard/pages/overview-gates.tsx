// The gates that most tasks wait at.

import type { ForecastsDocument } from "../api/documents.ts"
import { GateMark } from "../parts/gate-state.tsx"
import { GateLink } from "../parts/link.tsx"
import { Empty } from "../parts/page.tsx"
import { Table } from "../parts/table.tsx"
import { countText } from "../text/number.ts"

const shown = 6

export function HoldingGates({ limits }: { readonly limits: ForecastsDocument["limits"] | null }) {
  const gates = (limits ?? []).flatMap((limit) => limit.gates).sort((a, b) => b.waiting_tasks - a.waiting_tasks)
  if (gates.length === 0) return <Empty>{limits === null ? "Being looked at." : "No gate holds anything."}</Empty>
  return (
    <Table
      label="Gates that hold most"
      isCards
      head={
        <>
          <th scope="col">Gate</th>
          <th scope="col">State</th>
          <th scope="col" class="number">
            Waiting
          </th>
        </>
      }
    >
      {gates.slice(0, shown).map((gate) => (
        <tr key={gate.gate}>
          <td class="breaks">
            <GateLink gate={gate.gate} />
          </td>
          <td data-label="State">
            <GateMark gate={gate} />
          </td>
          <td data-label="Waiting" class="number">
            {countText(gate.waiting_tasks)}
          </td>
        </tr>
      ))}
    </Table>
  )
}
