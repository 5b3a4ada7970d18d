// Tasks that run in a thread of their own. The thread loads this module again.

import { isMainThread, threadId } from "node:worker_threads"
import { z } from "zod"
import { type Context, defineTask, PermanentError, RescheduleError } from "../../../../src/index.ts"

const here = { isolate: "thread", module: import.meta.url } as const

export const where = defineTask("where", {
  ...here,
  input: z.object({ n: z.number().transform((n) => n * 2) }),
  run: ({ n }, { task, fence }) => ({ isMainThread, isThread: threadId > 0, n, raw: task.input, fence }),
})

/** Blocks for ever, after it has said what it was told to say. */
export const block = defineTask("block", {
  ...here,
  run: (input: { progress?: unknown; log?: string }, context) => {
    if (input.progress !== undefined) context.progress(input.progress)
    if (input.log !== undefined) context.log.info(input.log, { depth: 1, dropped: undefined })
    for (;;);
  },
})

const ends: Readonly<Record<string, (context: Context<string>) => unknown>> = {
  nothing: () => undefined,
  error: () => {
    throw new TypeError("broken in the thread")
  },
  text: () => {
    throw "just text"
  },
  permanent: () => {
    throw new PermanentError("no such user")
  },
  reschedule: () => {
    throw new RescheduleError({ delaySeconds: 90.007, extendExpirationSeconds: 120, reason: "busy" })
  },
  context: (context) => context.reschedule("90007ms", { extendExpiration: "2m", reason: "busy" }),
  function: () => () => 1,
  large: () => "x".repeat(300 * 1_024),
  exit: () => process.exit(3),
  queue: (context) => context.queue.now(),
  progress: (context) => context.progress({ big: 1n }),
  unlogged: (context) => {
    context.log.warn("cannot be sent", { run: () => 1, big: 1n })
    return "done"
  },
}

export const end = defineTask("end", { ...here, maxRetries: 0, run: (way: string, context) => ends[way]?.(context) })
