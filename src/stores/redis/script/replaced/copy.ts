// In place of src/task/copy.ts.

import type { Draft } from "../../../../task/copy.ts"
import type { TaskRecord } from "../../../../task/index.ts"
export function copyTask(task: TaskRecord): Draft {
  return { ...task }
}
