// The options of a task that every way to submit one has.

import type { Command } from "commander"
import { type SubmitOptions, submitReaders, taskDefaults } from "../queue/index.ts"
import { formatDuration, parseName } from "../units/index.ts"
import { asDuration, asNumber, asText, collect, type Given, onlyOneFlag, orWord, readFlags } from "./flags.ts"
import { parseGate } from "./target.ts"

const shapes = {
  ttl: asDuration,
  ttlSeconds: asNumber,
  expiresAt: asText,
  delay: asDuration,
  scheduleAt: asText,
  maxRetries: asNumber,
  maxReschedules: orWord("none", asNumber),
  maxThrottles: orWord("none", asNumber),
  timeout: asDuration,
  timeoutSeconds: asNumber,
  priority: asNumber,
  flow: asText,
} as const

/** `isRepeated`: of a schedule, whose tasks have no time of their own. */
export function addTaskFlags(command: Command, isRepeated = false): Command {
  command
    .option("--ttl <duration>", "Expires when not started within this time; 0 expires at once")
    .option("--ttl-seconds <seconds>", "The same, in seconds")
  if (!isRepeated)
    command
      .option("--expires-at <time>", "Expires when not started by then")
      .option("--delay <duration>", "Starts no sooner than this much later")
      .option("--schedule-at <time>", "Starts no sooner than then")
  return command
    .option("--max-retries <n>", `Failures that are tried again (default: ${taskDefaults.maxRetries})`)
    .option("--max-reschedules <n>", 'Times that the handler may ask for later (default: "none", no cap)')
    .option("--max-throttles <n>", 'Times that the other side may say "not now" (default: "none", no cap)')
    .option("--timeout <duration>", `The longest that one run may take (default: ${formatDuration(taskDefaults.timeoutMs)})`)
    .option("--timeout-seconds <seconds>", "The same, in seconds")
    .option("--priority <n>", `Higher runs earlier (default: ${taskDefaults.priority})`)
    .option("--tag <name>", "A word to find it by; may be repeated", collect)
    .option(
      "--gate <gate>",
      "A gate it passes: limit/key, limit alone where it is not split, limit/key=3 for a cost; may be repeated",
      collect,
    )
    .option("--flow <key>", "What it shares fairly with others by (default: its job, else its type)")
}

export function readTaskFlags(where: string, given: Given): SubmitOptions {
  onlyOneFlag(where, given, ["ttl", "ttlSeconds", "expiresAt"])
  onlyOneFlag(where, given, ["delay", "scheduleAt"])
  onlyOneFlag(where, given, ["timeout", "timeoutSeconds"])
  const tags = (given.tag as readonly string[] | undefined)?.map((tag) => parseName("--tag", tag))
  const gates = (given.gate as readonly string[] | undefined)?.map((gate) => parseGate("--gate", gate))
  return { ...readFlags<SubmitOptions>(given, shapes, submitReaders), ...(tags ? { tags } : {}), ...(gates ? { gates } : {}) }
}
