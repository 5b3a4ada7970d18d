// Jobs, newest first: how far, how fast, and when they end.

import { useState } from "preact/hooks"
import { get, messageOf } from "../api/client.ts"
import type { JobDocument } from "../api/documents.ts"
import { latest, useLive } from "../api/live.ts"
import { JobMark } from "../parts/job-status.tsx"
import { Link } from "../parts/link.tsx"
import { notify } from "../parts/notices.tsx"
import { Empty, Page } from "../parts/page.tsx"
import { Progress } from "../parts/progress.tsx"
import { Table } from "../parts/table.tsx"
import { When } from "../parts/when.tsx"
import { countText, rateText } from "../text/number.ts"

/** As many as the stream tells of. */
const liveJobs = 100

interface Further {
  readonly jobs: readonly JobDocument[]
  readonly cursor: string | null
}

export function JobsPage() {
  useLive({ topics: ["jobs"] })
  const [further, setFurther] = useState<Further | null>(null)
  const jobs = latest<readonly JobDocument[]>("jobs").value
  const hasMore = further === null ? (jobs?.length ?? 0) >= liveJobs : further.cursor !== null
  const more = async () => {
    // The first page again, for its cursor; the stream has none.
    const from = further?.cursor ?? (await get<Further>("jobs", { limit: liveJobs })).cursor
    if (from === null) return setFurther({ jobs: [], cursor: null })
    const next = await get<Further>("jobs", { limit: liveJobs, cursor: from })
    setFurther((before) => ({ jobs: [...(before?.jobs ?? []), ...next.jobs], cursor: next.cursor }))
  }
  return (
    <Page title="Jobs">
      {jobs === null ? (
        <Empty>Waiting for the server.</Empty>
      ) : jobs.length === 0 ? (
        <Empty>
          No job was submitted yet: <code>queue.submitJob(name, tasks)</code> or <code>sluice job submit</code>.
        </Empty>
      ) : (
        <div class="panel flush">
          <JobsTable jobs={[...jobs, ...(further?.jobs ?? [])]} />
          {hasMore ? (
            <button type="button" class="more" onClick={() => void more().catch((error: unknown) => notify(messageOf(error)))}>
              Show more
            </button>
          ) : null}
        </div>
      )}
    </Page>
  )
}

function JobsTable({ jobs }: { readonly jobs: readonly JobDocument[] }) {
  return (
    <Table
      label="Jobs"
      isCards
      head={
        <>
          <th scope="col">Job</th>
          <th scope="col">Status</th>
          <th scope="col">Progress</th>
          <th scope="col" class="number">
            Rate
          </th>
          <th scope="col">Ends</th>
          <th scope="col" class="number">
            Failed
          </th>
          <th scope="col" class="wide">
            Created
          </th>
        </>
      }
    >
      {jobs.map((job) => (
        <tr key={job.id}>
          <td>
            <Link page="jobs" id={job.id} class="strong breaks">
              {job.name}
            </Link>
          </td>
          <td data-label="Status">
            <JobMark job={job} />
          </td>
          <td data-label="Progress">
            <Progress label={`Progress of ${job.name}`} share={job.total === 0 ? 0 : job.progress} />
            <span class="under">
              {countText(job.ended)} of {countText(job.total)}
            </span>
          </td>
          <td data-label="Rate" class="number">
            {job.rate_per_second === null ? <span class="muted">–</span> : rateText(job.rate_per_second)}
          </td>
          <td data-label="Ends">
            <Ends job={job} />
          </td>
          <td data-label="Failed" class={`number ${job.tasks.failed > 0 ? "tone-bad" : ""}`}>
            {countText(job.tasks.failed)}
          </td>
          <td data-label="Created" class="wide">
            <When at={job.created_at} />
          </td>
        </tr>
      ))}
    </Table>
  )
}

export function Ends({ job }: { readonly job: JobDocument }) {
  if (job.ended_at !== null) return <When at={job.ended_at} />
  return <When at={job.estimated_finish_at} none="cannot be said" />
}
