// Every limit: what holds, whether it lets anything pass, and how many wait.

import type { LimitDocument } from "../api/documents.ts"
import { latest, useLive } from "../api/live.ts"
import { GateMark } from "../parts/gate-state.tsx"
import { Link } from "../parts/link.tsx"
import { Empty, Page } from "../parts/page.tsx"
import { Table } from "../parts/table.tsx"
import { countedText, countText } from "../text/number.ts"
import { Learned, Levels, Opens, Slots } from "./gate-cells.tsx"
import { GateActions } from "./limit-actions.tsx"

export function LimitsPage() {
  useLive({ topics: ["limits"] })
  const limits = latest<readonly LimitDocument[]>("limits").value
  return (
    <Page title="Limits">
      {limits === null ? (
        <Empty>Waiting for the server.</Empty>
      ) : limits.length === 0 ? (
        <Empty>No limit is known yet: they come with the code of a worker, or with the first task that passes one.</Empty>
      ) : (
        <div class="panel flush">
          <Limits limits={limits} />
        </div>
      )}
    </Page>
  )
}

function Limits({ limits }: { readonly limits: readonly LimitDocument[] }) {
  return (
    <Table
      label="Limits"
      isCards
      head={
        <>
          <th scope="col">Limit</th>
          <th scope="col">State</th>
          <th scope="col">Level</th>
          <th scope="col">In flight</th>
          <th scope="col" class="wide">
            Learned
          </th>
          <th scope="col" class="number">
            Waiting
          </th>
          <th scope="col" class="wide">
            Opens
          </th>
          <th scope="col">
            <span class="hidden">Change</span>
          </th>
        </>
      }
    >
      {limits.map((limit) => (
        <LimitRow key={limit.name} limit={limit} />
      ))}
    </Table>
  )
}

/** A limit that is split by keys has no level of its own: its gates have. */
export function isSplit({ gate_count: gates, gate }: LimitDocument): boolean {
  const isUsed = gate.waiting_tasks > 0 || (gate.slots?.held ?? 0) > 0 || gate.levels.some(({ used }) => used > 0)
  return gates > 0 && !isUsed
}

function LimitRow({ limit }: { readonly limit: LimitDocument }) {
  const { gate } = limit
  return (
    <tr>
      <td>
        <Link page="limits" id={limit.name} class="strong breaks">
          {limit.name}
        </Link>
        <span class="under">
          {gate.policy_text}
          {gate.is_overridden ? <span class="chip">set by hand</span> : null}
        </span>
      </td>
      <td data-label="State">
        <GateMark gate={gate} />
      </td>
      {isSplit(limit) ? (
        <td data-label="Gates" colSpan={2}>
          <Link page="limits" id={limit.name}>
            {countedText(limit.gate_count, "gate")}, one for each key
          </Link>
        </td>
      ) : (
        <>
          <td data-label="Level">
            <Levels gate={gate} />
          </td>
          <td data-label="In flight">
            <Slots gate={gate} />
          </td>
        </>
      )}
      <td data-label="Learned" class="wide">
        {isSplit(limit) ? <span class="muted">–</span> : <Learned gate={gate} />}
      </td>
      <td data-label="Waiting" class="number">
        {countText(limit.waiting_tasks)}
      </td>
      <td data-label="Opens" class="wide">
        {isSplit(limit) ? <span class="muted">–</span> : <Opens gate={gate} />}
      </td>
      <td class="actions">
        <GateActions target={{ limit, gate }} />
      </td>
    </tr>
  )
}
