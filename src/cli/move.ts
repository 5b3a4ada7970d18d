// What cancel, retry and archive have in common: several ids, each moved by itself. One that cannot be moved does not keep
// the others from it; the first that could not gives the exit code.

import { isSluiceError } from "../errors/index.ts"
import type { Queue, Task } from "../queue/index.ts"
import type { Session } from "./session.ts"

export interface Move {
  readonly apply: (queue: Queue, id: string) => Promise<Task>
  /** What is told of one that was moved: "cancelled". */
  readonly done: (task: Task) => string
}

/** With --json: for one id its task; for several one document with the tasks and what went wrong with the others. */
export function moveAll(session: Session, ids: readonly string[], { apply, done }: Move): Promise<void> {
  return session.withQueue(async (queue) => {
    const tasks: Task[] = []
    const errors: { readonly id: string; readonly code: string; readonly message: string }[] = []
    for (const id of ids) {
      try {
        const task = await apply(queue, id)
        tasks.push(task)
        if (!session.isJson) session.print(`${task.id} ${done(task)}`)
      } catch (error) {
        // Of a store that does not answer there is nothing more to ask.
        if (!isSluiceError(error) || (error.code !== "not_found" && error.code !== "illegal_transition")) throw error
        errors.push({ id, code: error.code, message: error.message })
        session.fail(error)
      }
    }
    if (!session.isJson) return
    if (ids.length > 1) session.printJson({ tasks: tasks.map((task) => task.toJSON()), errors })
    else if (tasks[0]) session.printJson(tasks[0].toJSON())
  })
}
