// Where traces take hold of a queue: what a submission carries along, and what a run happens in. Nobody traces unless somebody has asked.

import type { TaskRecord } from "../task/index.ts"

export interface Tracing {
  /** Called for each task that is submitted: the context that travels with it, as a tag; null: none. */
  submitted(task: { readonly id: string; readonly type: string }): string | null
  /** Runs the handler within the context that the task came with. */
  run(task: TaskRecord, handle: () => unknown): Promise<unknown>
}

/** Tags that begin so are Sluice's own: a trace context as W3C writes it. */
export const traceTag = "trace:"
