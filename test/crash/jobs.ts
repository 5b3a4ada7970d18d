// Jobs in the script: one that completes and has something to follow it, one that fails, one that stays open and is closed, one that is
// cancelled. And what must hold of them wherever somebody was stopped.

import { deepEqual, equal } from "node:assert/strict"
import type { Store } from "../../src/store/index.ts"
import { jobTallies, type NewJob } from "../../src/task/index.ts"
import { everything } from "../../src/testing/conformance/desk.ts"
import { completed, failed } from "../../src/testing/conformance/outcomes.ts"
import type { Cast } from "./script.ts"
import { idOf, nameOf, newTask } from "./tasks.ts"

const names = (tasks: readonly { readonly id: string }[]): string[] => tasks.map(({ id }) => nameOf(id)).sort()

function job(name: string, fields: Partial<NewJob> = {}): NewJob {
  const bounds = { concurrency: null, failureThreshold: null, exemptStatuses: [], cancelAfterThrottles: null }
  return { id: idOf(name), name, isOpen: false, ...bounds, onComplete: null, ...fields }
}

const tasksOf = (name: string, tasks: readonly string[]) => tasks.map((one) => newTask(one, { jobId: idOf(name), flow: idOf(name) }))

export async function grouping({ victim }: Cast): Promise<void> {
  await victim.call("submit", "a job with one slot, and what follows it", {
    tasks: tasksOf("job-1", ["team-1", "team-2"]),
    newJob: job("job-1", { concurrency: 1, onComplete: newTask("next-1") }),
  })
  deepEqual(names((await victim.exchange("claim of a job", { rooms: { team: 5 } })).claimed), ["team-1"])
  await victim.exchange("settle one task of the job, claim the next", {
    settles: [victim.settle("team-1", completed())],
    rooms: { team: 5 },
  })
  await victim.exchange("settle the last task of the job", { settles: [victim.settle("team-2", completed())] })
  deepEqual(names((await victim.exchange("claim what follows", { rooms: { next: 5 } })).claimed), ["next-1"])
  await victim.exchange("settle what follows", { settles: [victim.settle("next-1", completed())] })
  await victim.call("submit", "a job that will fail", {
    tasks: tasksOf("job-2", ["team-3", "team-4", "team-5", "team-6"]),
    newJob: job("job-2", { failureThreshold: 2, onComplete: newTask("next-2") }),
  })
  await victim.exchange("claim three of four", { rooms: { team: 3 } })
  await victim.exchange("settle failed", { settles: [victim.settle("team-3", failed())] })
  const end = await victim.exchange("settle failed, which fails the job", {
    settles: [victim.settle("team-4", failed())],
    rooms: { team: 5 },
  })
  deepEqual([names(end.claimed), names(end.cancelled)], [[], ["team-5"]])
  await victim.exchange("settle after the end of the job", { settles: [victim.settle("team-5", completed())] })
}

export async function changingJobs({ victim }: Cast): Promise<void> {
  await victim.call("submit", "a job that stays open", { tasks: [], newJob: job("job-3", { isOpen: true, concurrency: 1 }) })
  await victim.call("submit", "more for the job, and close it", { tasks: tasksOf("job-3", ["team-7"]), closeJob: idOf("job-3") })
  await victim.call("changeJob", "concurrency", { id: idOf("job-3"), change: { kind: "concurrency", concurrency: 2 } })
  await victim.call("submit", "a job to be cancelled", { tasks: tasksOf("job-4", ["team-8"]), newJob: job("job-4", { isOpen: true }) })
  await victim.call("changeJob", "cancel", { id: idOf("job-4"), change: { kind: "cancel", reason: "enough" } })
  await victim.call("submit", "a job to be closed", { tasks: [], newJob: job("job-5", { isOpen: true, onComplete: newTask("next-5") }) })
  await victim.call("changeJob", "close", { id: idOf("job-5"), change: { kind: "close" } })
  await victim.call("jobs", "all", { ids: null, name: null, statuses: null, beforeSeq: null, limit: 10 })
  await victim.call("job", "one", { id: idOf("job-3") })
}

/** What a job counts is what its tasks are; what follows is there exactly where the job has completed. */
export async function judgeJobs(observer: Store, message: string): Promise<void> {
  const { jobs } = await observer.jobs({ ids: null, name: null, statuses: null, beforeSeq: null, limit: 100 })
  for (const { job: record } of jobs) {
    const { tasks } = await observer.list({ ...everything, jobId: record.id })
    const counted = Object.fromEntries(jobTallies.map((status) => [status, tasks.filter((task) => task.status === status).length]))
    deepEqual(record.tasks, counted, `${message}: job ${record.name} counts what its tasks are not`)
    if (!record.onComplete) continue
    const follows = (await observer.get({ ids: [record.onComplete.id] })).tasks[0] ?? null
    equal(
      follows !== null,
      record.status === "completed",
      `${message}: job ${record.name} is ${record.status}, what follows it is ${follows?.status}`,
    )
  }
}
