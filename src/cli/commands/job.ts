// sluice job: groups of tasks, their progress, and what holds them back.

import type { Command } from "commander"
import { define } from "../define.ts"
import type { Session } from "../session.ts"
import { addJobCancel } from "./job/cancel.ts"
import { addJobClose } from "./job/close.ts"
import { addJobLs } from "./job/ls.ts"
import { addJobShow } from "./job/show.ts"
import { addJobSubmit } from "./job/submit.ts"
import { addJobWatch } from "./job/watch.ts"

const commands = [addJobSubmit, addJobLs, addJobShow, addJobWatch, addJobClose, addJobCancel]

export function addJob(program: Command, session: Session): void {
  const job = define(program, {
    usage: "job",
    summary: "Submit, watch and cancel jobs",
    details: "A job is a named group of tasks, with progress, a concurrency of its own and a bound on failures in a row.",
    examples: ["sluice job ls", "sluice job watch 01985e7a-31f8-7000-9a86-5f1f0d3c2b1a"],
  })
  for (const add of commands) add(job, session)
}
