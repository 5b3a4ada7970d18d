// In place of src/task/copy.ts: a record that was read knows its fixed part as bytes only, and its copy has to know as much.

import type { TaskRecord } from "../../../../task/index.ts"
import { copyStored, type StoredTask } from "../stored-task.ts"

export function copyTask(task: TaskRecord): StoredTask {
  return copyStored(task as StoredTask)
}
