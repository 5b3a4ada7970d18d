// The tasks of the slot run: each holds one of few slots for a while.

import { type AnyTask, defineLimit, defineTask } from "../../src/index.ts"
import type { WriteFact } from "../../src/testing/index.ts"
import { busyFor, noted } from "./handlers.ts"

export const slots = 40
export const seats = defineLimit("seats", { concurrency: slots })

export function slotTasks(write: WriteFact) {
  const sit = defineTask<{ ms: number }, void>("sit", {
    maxRetries: 50,
    limits: [seats],
    run: ({ ms }, context) => noted(write, context, () => busyFor(ms, context)),
  })
  return [sit] as const satisfies readonly AnyTask[]
}
