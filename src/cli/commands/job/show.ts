// sluice job show: one job, its gates and what runs.

import type { Command } from "commander"
import type { JobDetailView, Task } from "../../../queue/index.ts"
import { formatDuration } from "../../../units/index.ts"
import { define } from "../../define.ts"
import { documentOf } from "../../document.ts"
import { fieldLines } from "../../fields.ts"
import { headed } from "../../headed.ts"
import { gateHeadings, gateRow, isFull } from "../../job-gates.ts"
import { jobFields } from "../../job-text.ts"
import { jsonLine } from "../../json-line.ts"
import { plain } from "../../plain.ts"
import type { Session } from "../../session.ts"

export function addJobShow(job: Command, session: Session): void {
  define(job, {
    usage: "show <id>",
    summary: "Show a job: progress, gates, what runs",
    details:
      "Of each gate that its tasks pass: for how long it backs off, the how manieth refusal in a row, until when, how often it was refused in all, the delay to expect, and slots held of those in effect (of those it has without what was learned).",
    examples: [
      "sluice job show 01985e7a-31f8-7000-9a86-5f1f0d3c2b1a",
      "sluice job show 01985e7a-31f8-7000-9a86-5f1f0d3c2b1a --json | jq .gates",
    ],
  }).action((id: string) =>
    session.withQueue(async (queue) => {
      const detail = await queue.jobs.show(id)
      const now = await queue.now()
      if (session.isJson) session.printJson(documentOfJob(detail, now))
      else session.print(...jobLines(session, detail, now))
    }),
  )
}

function jobLines(session: Session, detail: JobDetailView, now: Date): string[] {
  const gates = detail.gates.map((gate) => gateRow(gate, now))
  const running = detail.running.map((task) => runningRow(task, now))
  return [
    ...fieldLines(jobFields(detail, now)),
    ...(gates.length > 0 ? ["", ...headed(session, gateHeadings, gates, [1, 2, 4, 7])] : []),
    ...(running.length > 0 ? ["", ...headed(session, ["RUNNING", "TYPE", "FOR", "PROGRESS"], running)] : []),
  ]
}

export function runningRow(task: Task, now: Date): string[] {
  const since = Math.max(0, now.getTime() - (task.startedAt ?? now).getTime())
  return [task.id, plain(task.type), formatDuration(since), task.progress === null ? "" : plain(jsonLine(task.progress))]
}

function documentOfJob({ job, heldBy, slots, gates, running }: JobDetailView, now: Date): unknown {
  return {
    ...job.toJSON(),
    held_by: heldBy,
    slots,
    gates: gates.map((gate) => ({ ...(documentOf(gate) as object), ...(documentOf(backoffOf(gate, now)) as object) })),
    running: running.map((task) => task.toJSON()),
  }
}

/** The words that people know from the first of these systems. */
function backoffOf(gate: JobDetailView["gates"][number], now: Date) {
  const { cooldown, learned, policy, slots, opensAt, refusals } = gate
  const cooling = cooldown !== null && cooldown.until > now ? cooldown : null
  return {
    backoffSeconds: cooling ? Math.ceil((cooling.until.getTime() - now.getTime()) / 1_000) : 0,
    backoffAttempt: cooling?.count ?? 0,
    backoffUntil: cooling?.until ?? null,
    rateLimitCount: refusals,
    // Of one whose slots are taken nobody can tell when one is free.
    estimatedDelaySeconds:
      opensAt === null || isFull(gate, now) ? null : Math.max(0, opensAt.getTime() - now.getTime(), learned?.everyMs ?? 0) / 1_000,
    baseConcurrency: policy.concurrency,
    effectiveConcurrency: slots?.of ?? null,
  }
}
