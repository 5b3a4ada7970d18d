// sluice job ls: jobs, newest first.

import type { Command } from "commander"
import type { Job } from "../../../queue/index.ts"
import { type JobStatus, jobStatuses } from "../../../task/index.ts"
import { oneOf, parseName, wholeNumber } from "../../../units/index.ts"
import { define } from "../../define.ts"
import { asNumber, asText, collect, type Given, readFlag } from "../../flags.ts"
import { headed } from "../../headed.ts"
import { countsText, finishText, percentText, rateText } from "../../job-text.ts"
import { plain } from "../../plain.ts"
import type { Session } from "../../session.ts"

const defaultCount = 50

export function addJobLs(job: Command, session: Session): void {
  define(job, {
    usage: "ls",
    summary: "List jobs, newest first",
    examples: ["sluice job ls", "sluice job ls --status running --json | jq -r '.jobs[].id'"],
  })
    .option("--status <status>", `Only these: ${jobStatuses.join(", ")}; may be repeated`, collect)
    .option("--name <name>", "Only jobs of this name")
    .option("--limit <n>", `At most so many (default: ${defaultCount})`)
    .option("--cursor <cursor>", "Goes on where the page before ended")
    .action((given: Given) => list(session, given))
}

async function list(session: Session, given: Given): Promise<void> {
  const status = (given.status as readonly string[] | undefined)?.map((one) => oneOf(...jobStatuses)("--status", one) as JobStatus)
  const name = readFlag(given, "name", asText, parseName)
  const limit = readFlag(given, "limit", asNumber, wholeNumber(1, 1_000)) ?? defaultCount
  const cursor = given.cursor as string | undefined
  await session.withQueue(async (queue) => {
    const page = await queue.jobs.list({
      limit,
      ...(status ? { status } : {}),
      ...(name === undefined ? {} : { name }),
      ...(cursor === undefined ? {} : { cursor }),
    })
    if (session.isJson) return session.printJson({ jobs: page.jobs.map((job) => job.toJSON()), cursor: page.cursor })
    const now = await queue.now()
    if (page.jobs.length === 0) session.note(`no jobs in ${session.place}`)
    else
      session.print(
        ...headed(
          session,
          ["ID", "NAME", "STATUS", "DONE", "RATE", "ENDS", "TASKS"],
          page.jobs.map((job) => row(job, now)),
          [3],
        ),
      )
    if (page.cursor !== null) session.note(`more jobs: repeat with --cursor ${page.cursor}`)
  })
}

function row(job: Job, now: Date): string[] {
  return [job.id, plain(job.name), job.status, percentText(job), rateText(job) ?? "", finishText(job, now) ?? "", countsText(job)]
}
