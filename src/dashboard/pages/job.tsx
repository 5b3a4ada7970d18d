// One job: how far it is, what holds it back, and when it ends.

import type { JobDetailDocument } from "../api/documents.ts"
import { latest, useLive } from "../api/live.ts"
import { JobMark } from "../parts/job-status.tsx"
import { GateLink, Link } from "../parts/link.tsx"
import { Empty, Page, Panel } from "../parts/page.tsx"
import { Progress } from "../parts/progress.tsx"
import { Instant } from "../parts/when.tsx"
import { countText, rateText, timesText } from "../text/number.ts"
import { JobActions } from "./job-actions.tsx"
import { Ends } from "./jobs.tsx"
import { GatesTable } from "./limit-gates.tsx"
import { TasksTable } from "./tasks-table.tsx"

const tallies = ["pending", "running", "completed", "failed", "cancelled", "expired"] as const

export function JobPage({ id }: { readonly id: string }) {
  useLive({ jobs: [id] })
  const told = latest<JobDetailDocument>("job", id)
  const job = told.value
  if (job === null)
    return (
      <Page title="Job">
        <Empty>Waiting for the server. If nothing comes, there is no job of this id.</Empty>
      </Page>
    )
  return (
    <Page title={job.name} beside={<JobMark job={job} />} actions={<JobActions job={job} />}>
      <p class="mono muted breaks id">{job.id}</p>
      {job.error === null ? null : <p class="alert breaks">{job.error}</p>}
      <section class="panel" aria-label="Progress">
        <div class="job-progress">
          <Progress label="Progress" share={job.total === 0 ? 0 : job.progress} />
        </div>
        <dl class="tiles inner">
          <Figure name="Ended" value={`${countText(job.ended)} of ${countText(job.total)}`} />
          <Figure name="Rate" value={job.rate_per_second === null ? "–" : rateText(job.rate_per_second)} />
          <div class="tile">
            <dt>{job.ended_at === null ? "Ends" : "Ended"}</dt>
            <dd class="tile-value">
              <Ends job={job} />
            </dd>
          </div>
          <div class="tile">
            <dt>Held back by</dt>
            <dd class="tile-value small-value">
              <HeldBy job={job} />
            </dd>
          </div>
        </dl>
      </section>
      <div class="columns">
        <Panel title="Tasks">
          <dl class="facts">
            {tallies.flatMap((status) => [
              <dt key={`${status} name`}>{status}</dt>,
              <dd key={status}>
                <Link page="tasks" query={{ job: job.id, status }}>
                  {countText(job.tasks[status])}
                </Link>
              </dd>,
            ])}
          </dl>
        </Panel>
        <JobFacts job={job} />
      </div>
      {job.gates.length === 0 ? null : (
        <section class="panel flush">
          <h2>Gates its tasks pass</h2>
          <GatesTable limit={null} gates={job.gates} />
        </section>
      )}
      {job.running.length === 0 ? null : (
        <section class="panel flush">
          <h2>Running</h2>
          <TasksTable tasks={job.running} />
        </section>
      )}
    </Page>
  )
}

function Figure({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div class="tile">
      <dt>{name}</dt>
      <dd class="tile-value">{value}</dd>
    </div>
  )
}

/** Its own gate is its concurrency, whatever it is called inside. */
function HeldBy({ job }: { readonly job: JobDetailDocument }) {
  if (job.held_by === null) return <span class="muted">{job.status === "running" ? "nothing" : "–"}</span>
  return job.held_by.endsWith(`/${job.id}`) ? <>its concurrency of {job.concurrency}</> : <GateLink gate={job.held_by} />
}

function JobFacts({ job }: { readonly job: JobDetailDocument }) {
  return (
    <Panel title="Facts">
      <dl class="facts">
        <dt>Created</dt>
        <dd>
          <Instant at={job.created_at} />
        </dd>
        {job.started_at === null ? null : (
          <>
            <dt>Started</dt>
            <dd>
              <Instant at={job.started_at} />
            </dd>
          </>
        )}
        <dt>At once</dt>
        <dd>{job.concurrency === null ? "any number" : `${job.slots?.held ?? 0} of ${job.slots?.of ?? job.concurrency}`}</dd>
        <dt>Failures in a row</dt>
        <dd>
          {job.failure_streak}
          {job.failure_threshold === null ? "" : ` of ${job.failure_threshold}`}
        </dd>
        <dt>Refused</dt>
        <dd>{timesText(job.throttle_count)}</dd>
        {job.on_complete_task_id === null ? null : (
          <>
            <dt>Followed by</dt>
            <dd>
              <Link page="tasks" id={job.on_complete_task_id} class="mono breaks">
                {job.on_complete_task_id}
              </Link>
            </dd>
          </>
        )}
      </dl>
    </Panel>
  )
}
