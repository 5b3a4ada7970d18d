// What can be done to a job that runs.

import { segment, send } from "../api/client.ts"
import type { JobDocument } from "../api/documents.ts"
import { mayChange } from "../api/session.ts"
import { askFor } from "../parts/dialog.tsx"
import { notify } from "../parts/notices.tsx"
import { countText } from "../text/number.ts"

export function JobActions({ job }: { readonly job: JobDocument }) {
  if (!mayChange.value || job.status !== "running") return null
  return (
    <>
      {job.concurrency === null ? null : (
        <button type="button" onClick={() => askConcurrency(job)}>
          At once
        </button>
      )}
      {job.is_open ? (
        <button type="button" onClick={() => askClose(job)}>
          Close
        </button>
      ) : null}
      <button type="button" onClick={() => askCancel(job)}>
        Cancel
      </button>
    </>
  )
}

async function change({ id, name }: JobDocument, word: string, body: object, done: string): Promise<void> {
  await send("POST", `jobs/${segment(id)}/${word}`, body)
  notify(`${name}: ${done}.`)
}

function askConcurrency(job: JobDocument): void {
  askFor({
    title: `How many tasks of ${job.name} at once?`,
    text: "It holds at once. What runs goes on.",
    fields: [{ name: "concurrency", label: "At once", initial: String(job.concurrency ?? ""), isRequired: true }],
    verb: "Set",
    run({ concurrency = "" }) {
      if (!/^\d{1,9}$/.test(concurrency)) throw new RangeError(`At once: expected a whole number, got "${concurrency}"`)
      return change(job, "concurrency", { concurrency: Number(concurrency) }, `${concurrency} at once`)
    },
  })
}

function askClose(job: JobDocument): void {
  askFor({
    title: `Close ${job.name}?`,
    text: "Nobody outside adds more: it completes with its last task.",
    verb: "Close",
    run: () => change(job, "close", {}, "closed"),
  })
}

function askCancel(job: JobDocument): void {
  const left = countText(job.total - job.ended)
  askFor({
    title: `Cancel ${job.name}?`,
    text: `${left} of its tasks have not ended: those that wait end at once, those that run are asked to stop.`,
    verb: "Cancel the job",
    isDanger: true,
    run: () => change(job, "cancel", {}, "cancelled"),
  })
}
