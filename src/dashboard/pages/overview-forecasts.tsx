// How far from their forecasts tasks have started, by type.

import type { ForecastsDocument } from "../api/documents.ts"
import { Empty } from "../parts/page.tsx"
import { Table } from "../parts/table.tsx"
import { durationText } from "../text/duration.ts"
import { countText } from "../text/number.ts"

export function ForecastQuality({ errors }: { readonly errors: ForecastsDocument["errors"] | null }) {
  if (errors === null || errors.length === 0) return <Empty>No task that had a forecast has started yet.</Empty>
  return (
    <Table
      label="How good forecasts were"
      head={
        <>
          <th scope="col">Type</th>
          <th scope="col" class="number">
            Half of them
          </th>
          <th scope="col" class="number">
            99 of 100
          </th>
          <th scope="col" class="number wide">
            Started
          </th>
        </>
      }
    >
      {errors.map((one) => (
        <tr key={one.task_type}>
          <td class="breaks">{one.task_type}</td>
          <td class="number">{durationText(one.p50_below_ms)}</td>
          <td class="number">{durationText(one.p99_below_ms)}</td>
          <td class="number wide">{countText(one.count)}</td>
        </tr>
      ))}
    </Table>
  )
}
