// Workers that were heard of lately: what they handle and how much they run.

import type { WorkerDocument } from "../api/documents.ts"
import { latest, useLive } from "../api/live.ts"
import { Link } from "../parts/link.tsx"
import { Empty, Page } from "../parts/page.tsx"
import { Table } from "../parts/table.tsx"
import { When } from "../parts/when.tsx"
import { countText } from "../text/number.ts"

export function WorkersPage() {
  useLive({ topics: ["workers"] })
  const workers = latest<readonly WorkerDocument[]>("workers").value
  return (
    <Page title="Workers">
      {workers === null ? (
        <Empty>Waiting for the server.</Empty>
      ) : workers.length === 0 ? (
        <Empty>
          No worker was heard of in the last 90 seconds: start one with <code>sluice work ./tasks.ts</code>.
        </Empty>
      ) : (
        <div class="panel flush">
          <Table
            label="Workers"
            isCards
            head={
              <>
                <th scope="col">Worker</th>
                <th scope="col" class="number">
                  Running
                </th>
                <th scope="col">Handles</th>
                <th scope="col">Heard of</th>
              </>
            }
          >
            {workers.map(({ id, running, types, seen_at }) => (
              <tr key={id}>
                <td class="mono breaks">{id}</td>
                <td data-label="Running" class="number">
                  {countText(running)}
                </td>
                <td data-label="Handles">
                  {types.map((type) => (
                    <Link key={type} page="tasks" query={{ task_type: type }} class="chip breaks">
                      {type}
                    </Link>
                  ))}
                </td>
                <td data-label="Heard of">
                  <When at={seen_at} />
                </td>
              </tr>
            ))}
          </Table>
        </div>
      )}
    </Page>
  )
}
