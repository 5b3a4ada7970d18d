// sluice limits set: an override on top of what the code says. It outlives deploys, until it is reset or its time is over.

import type { Command } from "commander"
import { SluiceError } from "../../../errors/index.ts"
import { parseUntil, untilFrom } from "../../../queue/until.ts"
import { parseRate, wholeNumber } from "../../../units/index.ts"
import { define } from "../../define.ts"
import { asDuration, asNumber, collect, type Given, readFlag } from "../../flags.ts"
import { changeLimit, targetHelp } from "../../limit-change.ts"
import type { Session } from "../../session.ts"

export function addSet(limits: Command, session: Session): void {
  const command = define(limits, {
    usage: "set <target>",
    summary: "Set a rate or a concurrency instead of what the code says",
    details: `${targetHelp} What is not given stays as it was. A deploy does not undo it: sluice limits reset does.`,
    examples: [
      "sluice limits set vendor-api --rate 5/10s --until 1h",
      "sluice limits set vendor-api/host-1 --rate 3/s --rate 100/1m",
      "sluice limits set vendor-api --concurrency 3 --until 2026-01-28T17:00:00Z",
    ],
  })
    .option("--rate <rate>", "So many in so long, such as 5/10s; may be repeated, and all of them hold", collect)
    .option("--concurrency <n>", "So many at once")
    .option("--until <when>", "A time, or how long from now; then the code holds again (default: until it is reset)")
  command.action(async (target: string, given: Given) => {
    const rate = given.rate as readonly string[] | undefined
    for (const one of rate ?? []) parseRate("--rate", one)
    const concurrency = readFlag(given, "concurrency", asNumber, wholeNumber(1, 1_000_000))
    if (rate === undefined && concurrency === undefined) throw nothingToSet(target)
    const policy = { ...(rate ? { rate } : {}), ...(concurrency === undefined ? {} : { concurrency }) }
    const when = readFlag(given, "until", asDuration, parseUntil)
    await changeLimit(session, command, target, async (queue, limit, options) => {
      const until = when && untilFrom("--until", when, await queue.now())
      return queue.limits.set(limit, policy, { ...options, ...(until ? { until } : {}) })
    })
  })
}

function nothingToSet(target: string): SluiceError {
  return new SluiceError(
    "invalid_option",
    `limits set: expected --rate, --concurrency or both, got neither; sluice limits reset ${target} goes back to what the code says`,
  )
}
