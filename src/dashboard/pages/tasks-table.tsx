// Tasks as rows. A job and a page of the list show the same.

import type { TaskDocument } from "../api/documents.ts"
import { GateLink, Link, TaskLink } from "../parts/link.tsx"
import { StatusMark } from "../parts/status.tsx"
import { Table } from "../parts/table.tsx"
import { When } from "../parts/when.tsx"
import { shortJson } from "../text/json.ts"

export interface TasksTableProps {
  readonly tasks: readonly TaskDocument[]
  /** Where they can be chosen. */
  readonly chosen?: ReadonlySet<string>
  readonly choose?: (ids: ReadonlySet<string>) => void
}

const inputChars = 80

export function TasksTable({ tasks, chosen, choose }: TasksTableProps) {
  const areAll = chosen !== undefined && tasks.every(({ id }) => chosen.has(id))
  return (
    <Table
      label="Tasks"
      head={
        <>
          {choose && chosen ? (
            <th scope="col" class="tick">
              <input
                type="checkbox"
                aria-label="Choose all that are shown"
                checked={areAll}
                onChange={() => choose(areAll ? new Set() : new Set(tasks.map(({ id }) => id)))}
              />
            </th>
          ) : null}
          <th scope="col">Task</th>
          <th scope="col" class="wide">
            Type
          </th>
          <th scope="col">Status</th>
          <th scope="col">Starts or ended</th>
          <th scope="col" class="wide">
            Passes
          </th>
          <th scope="col" class="wide">
            Input
          </th>
          <th scope="col" class="wide">
            Created
          </th>
        </>
      }
    >
      {tasks.map((task) => (
        <tr key={task.id}>
          {choose && chosen ? (
            <td class="tick">
              <input
                type="checkbox"
                aria-label={`Choose ${task.id}`}
                checked={chosen.has(task.id)}
                onChange={() => choose(toggled(chosen, task.id))}
              />
            </td>
          ) : null}
          <td>
            <TaskLink id={task.id} />
            <span class="under narrow breaks">{task.task_type}</span>
          </td>
          <td class="wide">
            <Link page="tasks" query={{ task_type: task.task_type }} class="plain breaks">
              {task.task_type}
            </Link>
          </td>
          <td>
            <StatusMark status={task.status} />
            {task.attempt > 1 ? <span class="muted"> attempt {task.attempt}</span> : null}
          </td>
          <td>
            <Moment task={task} />
          </td>
          <td class="wide">
            <Gates gates={task.gates} />
          </td>
          <td class="wide mono muted clip">{shortJson(task.input, inputChars)}</td>
          <td class="wide">
            <When at={task.created_at} />
          </td>
        </tr>
      ))}
    </Table>
  )
}

/** What is next for one that waits, since when for one that runs, when it was over for the rest. */
function Moment({ task }: { readonly task: TaskDocument }) {
  switch (task.status) {
    case "pending":
      return task.estimated_start_at === null ? <span class="muted">cannot be said</span> : <When at={task.estimated_start_at} />
    case "running":
      return (
        <>
          since <When at={task.started_at} />
        </>
      )
    case "expired":
      return <When at={task.expired_at} />
    default:
      return <When at={task.completed_at} />
  }
}

const shownGates = 2

function Gates({ gates }: { readonly gates: readonly string[] | null }) {
  if (gates === null) return <span class="muted">unrouted</span>
  if (gates.length === 0) return <span class="muted">–</span>
  return (
    <span class="stack">
      {gates.slice(0, shownGates).map((gate) => (
        <GateLink key={gate} gate={gate} />
      ))}
      {gates.length > shownGates ? <span class="muted">and {gates.length - shownGates} more</span> : null}
    </span>
  )
}

function toggled(ids: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const others = [...ids].filter((one) => one !== id)
  return new Set(ids.has(id) ? others : [...others, id])
}
