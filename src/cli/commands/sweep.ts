// sluice sweep: what every worker does by itself, once and now: lost leases come back, overdue tasks expire. Unlike a worker it
// removes nothing unless told to: nobody should lose tasks to a command that they ran to look after them.

import type { Command } from "commander"
import { workerDefaults } from "../../queue/index.ts"
import { orNull, parseDuration } from "../../units/index.ts"
import { sweepAll } from "../../worker/index.ts"
import { define } from "../define.ts"
import { asDuration, type Given, orWord, readFlag } from "../flags.ts"
import type { Session } from "../session.ts"

export function addSweep(program: Command, session: Session): void {
  define(program, {
    usage: "sweep",
    summary: "Rescue lost tasks and expire overdue ones now",
    details: "Workers sweep by themselves; this is for when none runs.",
    examples: ["sluice sweep", "sluice sweep --retention 30d"],
  })
    .option("--retention <duration>", 'Also remove tasks that ended longer ago than this (default: "never")')
    .action(async (given: Given) => {
      const retentionMs = readFlag(given, "retention", orWord("never", asDuration), orNull(parseDuration)) ?? null
      await session.withQueue(async (queue) => {
        const total = await sweepAll(queue.store, queue.world, { backoff: workerDefaults.backoff, retentionMs })
        if (session.isJson) session.printJson(total)
        else session.print(`rescued ${total.rescued}, expired ${total.expired}, stopped ${total.stopped}, removed ${total.removed}`)
      })
    })
}
