// sluice limits close: let nothing pass until a time.

import type { Command } from "commander"
import { parseUntil, untilFrom } from "../../../queue/until.ts"
import { define } from "../../define.ts"
import { asDuration, type Given, readFlag } from "../../flags.ts"
import { changeLimit, targetHelp } from "../../limit-change.ts"
import type { Session } from "../../session.ts"

export function addClose(limits: Command, session: Session): void {
  const command = define(limits, {
    usage: "close <target>",
    summary: "Let nothing pass until a time",
    details: `${targetHelp} It opens by itself, or by sluice limits resume.`,
    examples: ["sluice limits close vendor-api --until 1h", "sluice limits close vendor-api/host-1 --until 2026-01-28T17:00:00Z"],
  }).requiredOption("--until <when>", "A time, or how long from now")
  command.action(async (target: string, given: Given) => {
    const when = readFlag(given, "until", asDuration, parseUntil) ?? { inMs: 0 }
    await changeLimit(session, command, target, async (queue, limit, options) =>
      queue.limits.close(limit, { ...options, until: untilFrom("--until", when, await queue.now()) }),
    )
  })
}
