// The task that an id on the command line means.

import { SluiceError, shown } from "../errors/index.ts"
import type { Queue, Task } from "../queue/index.ts"

export async function taskOf(queue: Queue, id: string): Promise<Task> {
  const task = await queue.get(id)
  if (task) return task
  throw new SluiceError(
    "not_found",
    `task ${shown(id)}: expected the id of a task, found none; it may have been removed after its retention`,
  )
}
