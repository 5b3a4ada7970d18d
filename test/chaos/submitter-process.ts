// A process that submits: each batch it is given, in one atomic step for each type, until it is told to stop or is killed.

import { type Batch, type ChildSettings, readSettings, startChild } from "./child.ts"
import { persistent } from "./persistent.ts"
import { plannedTask } from "./plan.ts"
import { stormTasks } from "./storm-tasks.ts"

export interface SubmitterSettings extends ChildSettings {
  /** Of the whole run, unlike `seed`: all submitters have the same plan. */
  readonly planSeed: number
}

const settings = readSettings<SubmitterSettings>()
const tasks = stormTasks(() => {})
let work: Promise<unknown> = Promise.resolve()

const { queue, say } = await startChild(
  settings,
  (message) => {
    if (message.kind === "batch") work = work.then(() => submit(message))
    else if (message.kind === "stop") work.then(() => queue.close()).then(() => process.exit(0))
  },
  persistent,
)
say({ kind: "ready" })

async function submit({ from, count, isRepeat }: Batch): Promise<void> {
  const numbers = Array.from({ length: count }, (_, i) => from + i)
  const planned = numbers.map((number) => plannedTask(settings.planSeed, number))
  for (const task of tasks) {
    const ofType = planned.filter(({ type, options }) => type === task.type && (!isRepeat || options.idempotencyKey !== undefined))
    const each = (_input: unknown, i: number) => ofType[i]?.options ?? {}
    await queue.submitMany(
      task,
      ofType.map(({ input }) => input),
      { each },
    )
  }
  say({ kind: "submitted", from, isRepeat })
}
