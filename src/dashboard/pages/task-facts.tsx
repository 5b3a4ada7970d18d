// What is known of a task beside its payloads.

import type { ComponentChildren } from "preact"
import type { TaskDocument } from "../api/documents.ts"
import { GateLink, Link } from "../parts/link.tsx"
import { Panel } from "../parts/page.tsx"
import { Instant } from "../parts/when.tsx"
import { durationText } from "../text/duration.ts"

type Fact = readonly [string, ComponentChildren] | null

export function TaskFacts({ task }: { readonly task: TaskDocument }) {
  const facts: readonly Fact[] = [
    ["Created", <Instant key="" at={task.created_at} />],
    instant("Due", task.available_at === task.created_at ? null : task.available_at),
    instant("Started", task.started_at),
    instant("Ended", task.completed_at),
    instant(task.expired_at === null ? "Expires" : "Expired", task.expired_at ?? task.expires_at),
    instant("Asked to stop", task.cancel_requested_at),
    task.worker_id === null ? null : ["Worker", task.worker_id],
    task.status === "running" ? instant("Lease ends", task.lease_expires_at) : null,
    ["Attempt", String(task.attempt)],
    ["Retries", `${task.retry_count} of ${task.max_retries}`],
    task.reschedule_count === 0 ? null : ["Reschedules", `${task.reschedule_count}${capped(task.max_reschedules)}`],
    task.throttle_count === 0 ? null : ["Refused", `${task.throttle_count}${capped(task.max_throttles)} times`],
    task.crash_count === 0 ? null : ["Leases lost in a row", String(task.crash_count)],
    ["Timeout", durationText(task.timeout_seconds * 1_000)],
    task.priority === 0 ? null : ["Priority", String(task.priority)],
    task.tags.length === 0 ? null : ["Tags", <Tags key="" tags={task.tags} />],
    task.job_id === null
      ? null
      : [
          "Job",
          <Link key="" page="jobs" id={task.job_id} class="mono breaks">
            {task.job_id}
          </Link>,
        ],
    task.idempotency_key === null
      ? null
      : [
          "Idempotency key",
          <span key="" class="breaks">
            {task.idempotency_key}
          </span>,
        ],
    task.gates === null || task.gates.length === 0 ? null : ["Passes", <Gates key="" gates={task.gates} />],
  ]
  return (
    <Panel title="Facts">
      <dl class="facts">
        {facts.flatMap((fact) => (fact === null ? [] : [<dt key={`${fact[0]} name`}>{fact[0]}</dt>, <dd key={fact[0]}>{fact[1]}</dd>]))}
      </dl>
    </Panel>
  )
}

function instant(name: string, at: string | null): Fact {
  return at === null ? null : [name, <Instant key="" at={at} />]
}

function capped(most: number | null): string {
  return most === null ? "" : ` of ${most}`
}

function Tags({ tags }: { readonly tags: readonly string[] }) {
  return (
    <>
      {tags.map((tag) => (
        <Link key={tag} page="tasks" query={{ tag }} class="chip breaks">
          {tag}
        </Link>
      ))}
    </>
  )
}

function Gates({ gates }: { readonly gates: readonly string[] }) {
  return (
    <span class="stack">
      {gates.map((gate) => (
        <GateLink key={gate} gate={gate} />
      ))}
    </span>
  )
}
