// sluice job show: one job, its gates and what runs.

import type { Command } from "commander"
import { jobDetailDocument } from "../../../queue/document.ts"
import type { JobDetailView, Task } from "../../../queue/index.ts"
import { formatDuration } from "../../../units/index.ts"
import { define } from "../../define.ts"
import { fieldLines } from "../../fields.ts"
import { headed } from "../../headed.ts"
import { gateHeadings, gateRow } from "../../job-gates.ts"
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
      if (session.isJson) session.printJson(jobDetailDocument(detail, now))
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
