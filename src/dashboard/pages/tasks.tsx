// Tasks, a page of them at a time: filtered, chosen, cancelled and run again. However many wait, no more are asked for than are shown.

import { useEffect, useState } from "preact/hooks"
import { useAsked } from "../api/asked.ts"
import type { Counts, TasksPage as TasksPageDocument } from "../api/documents.ts"
import { latest, useLive } from "../api/live.ts"
import { mayChange } from "../api/session.ts"
import { Empty, Page } from "../parts/page.tsx"
import { address } from "../route.ts"
import { countText } from "../text/number.ts"
import { BulkActions } from "./tasks-bulk.tsx"
import { filterOf, TaskFilter } from "./tasks-filter.tsx"
import { TasksTable } from "./tasks-table.tsx"

const pageSize = 50

export function TasksPage() {
  const filter = filterOf(address.value.query)
  const name = JSON.stringify(filter)
  const [cursors, setCursors] = useState<readonly string[]>([])
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  useLive({})
  // Another filter begins with its first page.
  useEffect(() => {
    setCursors([])
    setChosen(new Set())
  }, [name])
  const counts = latest<Counts>("counts").value
  const asked = useAsked<TasksPageDocument>(
    "tasks",
    { ...filter, limit: pageSize, forecast: "true", cursor: cursors.at(-1) },
    JSON.stringify(counts),
  )
  const tasks = asked.value?.tasks ?? []
  const next = asked.value?.cursor ?? null
  const shown = new Set(tasks.map(({ id }) => id))
  // What has left the page is not meant any more.
  const meant = new Set([...chosen].filter((id) => shown.has(id)))
  return (
    <Page title="Tasks" error={asked.error}>
      <TaskFilter filter={filter} counts={counts} />
      {mayChange.value ? (
        <BulkActions chosen={[...meant]} filter={filter} counts={counts} done={asked.again} clear={() => setChosen(new Set())} />
      ) : null}
      <div class="panel flush" aria-busy={asked.isLoading}>
        {asked.value === null ? (
          <Empty>Waiting for the server.</Empty>
        ) : tasks.length === 0 ? (
          <Empty>No task matches.</Empty>
        ) : (
          <TasksTable tasks={tasks} {...(mayChange.value ? { chosen: meant, choose: setChosen } : {})} />
        )}
        <div class="pager">
          <button type="button" disabled={cursors.length === 0} onClick={() => setCursors(cursors.slice(0, -1))}>
            Newer
          </button>
          <span class="muted">
            {tasks.length === 0
              ? ""
              : `${countText(cursors.length * pageSize + 1)} to ${countText(cursors.length * pageSize + tasks.length)}, newest first`}
          </span>
          <button type="button" disabled={next === null} onClick={() => next !== null && setCursors([...cursors, next])}>
            Older
          </button>
        </div>
      </div>
    </Page>
  )
}
