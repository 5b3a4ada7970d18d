// sluice job close: nobody outside adds more to a job.

import type { Command } from "commander"
import { define } from "../../define.ts"
import type { Session } from "../../session.ts"

export function addJobClose(job: Command, session: Session): void {
  define(job, {
    usage: "close <id>",
    summary: "Say that no more tasks will be added to an open job",
    details: "It completes with its last task.",
    examples: ["sluice job close 01985e7a-31f8-7000-9a86-5f1f0d3c2b1a"],
  }).action((id: string) =>
    session.withQueue(async (queue) => {
      const job = await queue.jobs.close(id)
      if (session.isJson) session.printJson(job.toJSON())
      else session.print(`${job.id} ${job.status === "running" ? "closed: completes with its last task" : job.status}`)
    }),
  )
}
