// A record to be changed into the next one. Its own file, because a store that keeps records otherwise copies them otherwise.

import type { TaskRecord } from "./record.ts"

export type Draft = { -readonly [Name in keyof TaskRecord]: TaskRecord[Name] }

export function copyTask(task: TaskRecord): Draft {
  return { ...task }
}
