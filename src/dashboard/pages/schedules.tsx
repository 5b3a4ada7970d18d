// Schedules: when each submits next, and what came of the last time.

import { segment, send } from "../api/client.ts"
import type { ScheduleDocument } from "../api/documents.ts"
import { latest, useLive } from "../api/live.ts"
import { mayChange } from "../api/session.ts"
import { askFor } from "../parts/dialog.tsx"
import { Icon } from "../parts/icon.tsx"
import { TaskLink } from "../parts/link.tsx"
import { notify } from "../parts/notices.tsx"
import { Empty, Page } from "../parts/page.tsx"
import { Table } from "../parts/table.tsx"
import { When } from "../parts/when.tsx"

export function SchedulesPage() {
  useLive({ topics: ["schedules"] })
  const schedules = latest<readonly ScheduleDocument[]>("schedules").value
  return (
    <Page title="Schedules">
      {schedules === null ? (
        <Empty>Waiting for the server.</Empty>
      ) : schedules.length === 0 ? (
        <Empty>
          Nothing is scheduled: <code>queue.schedule(name, cron, …)</code> or <code>sluice schedule add</code>.
        </Empty>
      ) : (
        <div class="panel flush">
          <SchedulesTable schedules={schedules} />
        </div>
      )}
    </Page>
  )
}

function SchedulesTable({ schedules }: { readonly schedules: readonly ScheduleDocument[] }) {
  return (
    <Table
      label="Schedules"
      isCards
      head={
        <>
          <th scope="col">Schedule</th>
          <th scope="col">State</th>
          <th scope="col">When</th>
          <th scope="col">Next</th>
          <th scope="col">Last</th>
          <th scope="col">
            <span class="hidden">Change</span>
          </th>
        </>
      }
    >
      {schedules.map((schedule) => (
        <tr key={schedule.name}>
          <td>
            <span class="strong breaks">{schedule.name}</span>
            <span class="under breaks">{schedule.task_type}</span>
          </td>
          <td data-label="State">
            <span class={`mark tone-${schedule.is_paused ? "warn" : "good"}`}>
              <Icon name={schedule.is_paused ? "paused" : "open"} />
              {schedule.is_paused ? "paused" : "active"}
            </span>
            {schedule.last_error === null ? null : <span class="under tone-bad breaks">{schedule.last_error}</span>}
          </td>
          <td data-label="When">
            <span class="mono">{schedule.cron}</span>
            <span class="under">{schedule.timezone}</span>
          </td>
          <td data-label="Next">
            {schedule.is_paused ? <span class="muted">when resumed</span> : <When at={schedule.next_at} none="never" />}
          </td>
          <td data-label="Last">
            <When at={schedule.last_at} none="not yet" />
            {schedule.last_task_id === null ? null : (
              <span class="under">
                <TaskLink id={schedule.last_task_id} />
              </span>
            )}
          </td>
          <td class="actions">
            <Actions schedule={schedule} />
          </td>
        </tr>
      ))}
    </Table>
  )
}

function Actions({ schedule }: { readonly schedule: ScheduleDocument }) {
  if (!mayChange.value) return null
  const { name, is_paused: isPaused } = schedule
  const path = `schedules/${segment(name)}`
  const ask = (word: string, text: string, done: string, isDanger: boolean, run: () => Promise<unknown>) =>
    askFor({ title: `${word} ${name}?`, text, verb: word, isDanger, run: () => run().then(() => notify(`${name}: ${done}.`)) })
  return (
    <>
      <button
        type="button"
        aria-label={`Trigger ${name}`}
        onClick={() =>
          ask("Trigger", "One of its tasks is submitted now, apart from its instants.", "triggered", false, () =>
            send("POST", `${path}/trigger`),
          )
        }
      >
        Trigger
      </button>
      <button
        type="button"
        aria-label={`${isPaused ? "Resume" : "Pause"} ${name}`}
        onClick={() =>
          isPaused
            ? ask("Resume", "It goes on from its next instant.", "resumed", false, () => send("POST", `${path}/resume`))
            : ask("Pause", "It submits nothing until it is resumed.", "paused", true, () => send("POST", `${path}/pause`))
        }
      >
        {isPaused ? "Resume" : "Pause"}
      </button>
      <button
        type="button"
        aria-label={`Remove ${name}`}
        onClick={() => ask("Remove", "It submits nothing any more. Its tasks stay.", "removed", true, () => send("DELETE", path))}
      >
        Remove
      </button>
    </>
  )
}
