// The status of a job, with the same shapes as those of tasks.

import type { JobDocument } from "../api/documents.ts"
import { StatusMark } from "./status.tsx"

export function JobMark({ job }: { readonly job: JobDocument }) {
  return (
    <>
      <StatusMark status={job.status} />
      {job.is_open && job.status === "running" ? <span class="chip">open</span> : null}
    </>
  )
}
