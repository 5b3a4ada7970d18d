// One task: what it waits for in words, when it starts, what became of it so far, and what went in and came out.

import { useAsked } from "../api/asked.ts"
import { segment } from "../api/client.ts"
import { nowMs } from "../api/clock.ts"
import type { ExplanationDocument, HistoryItem, TaskDocument } from "../api/documents.ts"
import { latest, useLive } from "../api/live.ts"
import { Empty, Page, Panel } from "../parts/page.tsx"
import { Payload } from "../parts/payload.tsx"
import { StatusMark } from "../parts/status.tsx"
import { Instant } from "../parts/when.tsx"
import { GatesTable } from "./limit-gates.tsx"
import { TaskActions } from "./task-actions.tsx"
import { TaskFacts } from "./task-facts.tsx"
import { TaskStart } from "./task-start.tsx"

/** What holds a task may change without the task: its gates are looked at so often. */
const lookEveryMs = 2_000

export function TaskPage({ id }: { readonly id: string }) {
  useLive({ tasks: [id] })
  const live = latest<TaskDocument>("task", id).value
  const isWaiting = live?.status === "pending"
  const stamp = `${live?.version} ${isWaiting ? Math.floor(nowMs.value / lookEveryMs) : live?.estimated_start_at}`
  const explained = useAsked<ExplanationDocument>(`tasks/${segment(id)}/explain`, {}, stamp)
  const history = useAsked<{ history: readonly HistoryItem[] }>(`tasks/${segment(id)}/history`, {}, live?.version ?? 0)
  const task = newest(live, explained.value?.task ?? null)
  if (task === null)
    return (
      <Page title="Task" error={explained.error}>
        <Empty>{explained.error === null ? "Waiting for the server." : "It was never there, or has been removed since it ended."}</Empty>
      </Page>
    )
  const explanation = explained.value?.task.version === task.version ? explained.value : null
  return (
    <Page title={task.task_type} beside={<StatusMark status={task.status} />} actions={<TaskActions task={task} />}>
      <p class="mono muted breaks id">{task.id}</p>
      <TaskStart task={task} explanation={explanation} />
      {explanation && explanation.gates.length > 0 && task.status === "pending" ? (
        <section class="panel flush">
          <h2>
            Gates it passes <span class="panel-note">all must let it pass</span>
          </h2>
          <GatesTable limit={null} gates={explanation.gates} />
        </section>
      ) : null}
      <div class="columns">
        <Timeline history={history.value?.history ?? []} />
        <TaskFacts task={task} />
      </div>
      <div class="columns">
        <Payload title="Input" value={task.input} />
        {task.status === "completed" || task.output !== null ? <Payload title="Output" value={task.output} /> : null}
        {task.progress === null ? null : <Payload title="Progress" value={task.progress} />}
      </div>
    </Page>
  )
}

/** Whichever way it came. */
function newest(a: TaskDocument | null, b: TaskDocument | null): TaskDocument | null {
  return a !== null && (b === null || a.version >= b.version) ? a : b
}

function Timeline({ history }: { readonly history: readonly HistoryItem[] }) {
  return (
    <Panel title="What became of it">
      <ol class="timeline">
        {history.map(({ version, at, event, status, text }) => (
          <li key={version} class={`event-${status}`}>
            <span class="timeline-head">
              <b>{event.replaceAll("_", " ")}</b> <Instant at={at} />
            </span>
            <span class="under breaks">{text}</span>
          </li>
        ))}
      </ol>
    </Panel>
  )
}
