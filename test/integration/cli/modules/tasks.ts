// A module of tasks for `sluice work`: loaded as TypeScript from here, and as JavaScript from where it is compiled to.

import { once } from "node:events"
import { defineTask, PermanentError, RescheduleError } from "../../../../src/index.ts"

export const double = defineTask("double", {
  run: (input: { n: number }, ctx) => {
    ctx.log.info("doubling", { n: input.n })
    ctx.log.debug("for debugging")
    return input.n * 2
  },
})

export const later = defineTask("later", {
  run: (_input: unknown, ctx) => {
    if (ctx.task.rescheduleCount === 0) throw new RescheduleError({ delaySeconds: 0, reason: "not yet" })
    return "at last"
  },
})

export const refuse = defineTask("refuse", {
  run: () => {
    throw new PermanentError("never\u001b[2J this")
  },
})

/** Ends with the process that runs it being asked to stop: what a drain waits for. */
export const untilAsked = defineTask("until_asked", {
  run: async (_input: unknown, ctx) => {
    ctx.log.info("waiting to be asked")
    await once(process, "SIGTERM")
    return "asked"
  },
})

/** Heeds nothing. */
export const stubborn = defineTask("stubborn", {
  run: (_input: unknown, ctx) => {
    ctx.log.info("never ends")
    return new Promise(() => {})
  },
})

/** Leaves an error behind that nobody catches. */
export const careless = defineTask("careless", {
  run: () => {
    void Promise.reject(new Error("left behind"))
    return "done"
  },
})
