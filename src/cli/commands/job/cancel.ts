// sluice job cancel: what waits of a job ends, what runs of it is asked to stop.

import type { Command } from "commander"
import { parseKey } from "../../../units/index.ts"
import { counted } from "../../counted.ts"
import { define } from "../../define.ts"
import { asText, type Given, readFlag } from "../../flags.ts"
import type { Session } from "../../session.ts"

export function addJobCancel(job: Command, session: Session): void {
  define(job, {
    usage: "cancel <id>",
    summary: "Cancel a job",
    details: "What waits of it is cancelled, what runs is asked to stop, and nothing of it starts any more.",
    examples: ["sluice job cancel 01985e7a-31f8-7000-9a86-5f1f0d3c2b1a --reason 'wrong list'"],
  })
    .option("--reason <text>", "Why, for those who look at it later")
    .action(async (id: string, given: Given) => {
      const reason = readFlag(given, "reason", asText, parseKey)
      await session.withQueue(async (queue) => {
        const job = await queue.jobs.cancel(id, reason === undefined ? {} : { reason })
        if (session.isJson) return session.printJson(job.toJSON())
        const asked = job.tasks.running > 0 ? `, ${counted(job.tasks.running, "task")} still running and asked to stop` : ""
        session.print(`${job.id} ${job.status}: ${counted(job.tasks.cancelled, "task")} cancelled${asked}`)
      })
    })
}
