// Bugs in what jobs count and when they end.

import type { Bug } from "./bug.ts"

export const jobBugs: readonly Bug[] = [
  {
    name: "completes while tasks run that may come back",
    like: "batches that look at the queue, and not at what is under way",
    edits: [
      {
        file: "task/job.ts",
        find: `return job.status === "running" && !job.isOpen && liveTasks(job) === 0`,
        replace: `return job.status === "running" && !job.isOpen && job.tasks.pending === 0`,
      },
    ],
  },
  {
    name: "a task that comes back is not counted back",
    like: "batches whose counter goes down with every end of a run",
    edits: [
      {
        file: "store/jobs.ts",
        find: `  moved({ jobId }: OfJob, from: Status | null, to: Status): void {
`,
        replace: `  moved({ jobId }: OfJob, from: Status | null, to: Status): void {
    if (from === "running" && to === "pending") return
`,
      },
    ],
  },
  {
    name: "what follows is submitted by a step of its own",
    like: "callbacks of batches that a process has to remember",
    edits: [
      {
        file: "store/jobs.ts",
        find: `    if (!onComplete || onCompleteTaskId !== null) return
`,
        replace: `    if (!onComplete || onCompleteTaskId !== null || done.updatedAtMs % 2 === 0) return
`,
      },
    ],
  },
]
