// sluice schedule add: a new schedule, or another one in place of that of the same name.

import type { Command } from "commander"
import { SluiceError, shown } from "../../../errors/index.ts"
import {
  mostCaughtUp,
  queueDefaults,
  readCatchUp,
  type SavedSchedule,
  type ScheduleOptions,
  scheduleDefaults,
  scheduleTaskReaders,
  taskDefaults,
} from "../../../queue/index.ts"
import { formatDuration, formatSize, parseJson, parseName, parseSize } from "../../../units/index.ts"
import { define } from "../../define.ts"
import { asDuration, asNumber, asText, collect, type Given, onlyOneFlag, orWord, readFlag, readFlags, type Shape } from "../../flags.ts"
import { textFrom } from "../../input-text.ts"
import { nextText, scheduleDocument } from "../../schedule-text.ts"
import type { Session } from "../../session.ts"
import { parseGate } from "../../target.ts"

const shapes = {
  ttl: asDuration,
  ttlSeconds: asNumber,
  maxRetries: asNumber,
  maxReschedules: orWord("none", asNumber),
  maxThrottles: orWord("none", asNumber),
  timeout: asDuration,
  timeoutSeconds: asNumber,
  priority: asNumber,
  flow: asText,
} as const

/** "none", "last", "all=10". */
const asCatchUp: Shape = (text) => {
  const [, count] = /^all=(\d{1,9})$/.exec(text) ?? []
  return count === undefined ? text : { all: Number(count) }
}

function parseCatchUp(name: string, value: unknown) {
  if (typeof value !== "string" || value === "none" || value === "last") return readCatchUp(name, value)
  throw new SluiceError("invalid_option", `${name}: expected none, last or all=10 (up to all=${mostCaughtUp}), got ${shown(value)}`)
}

export function addAdd(schedule: Command, session: Session): void {
  define(schedule, {
    usage: "add <name>",
    summary: "Make a schedule, or replace the one of that name",
    details:
      "A cron has five fields (minutes, hours, days, months, days of the week), or six with seconds first, or is a word such as @daily. The same again changes nothing.",
    examples: [
      'sluice schedule add nightly --cron "0 3 * * *" --timezone Europe/Vienna -t report -i \'{"kind": "full"}\'',
      'sluice schedule add office --cron "*/15 9-17 * * 1-5" --timezone America/New_York -t poll --ttl 10m',
      'sluice schedule add sums --cron "@monthly" -t sums --catch-up all=12',
    ],
  })
    .requiredOption("--cron <expression>", 'When it runs, such as "0 9 * * 1-5" for 9:00 on weekdays')
    .option("--timezone <zone>", `Whose clocks the cron is about (default: ${scheduleDefaults.timezone})`)
    .option(
      "--catch-up <what>",
      `What runs of instants that no worker got to within a minute: none, last, or all=10 for the latest 10 (default: ${scheduleDefaults.catchUp})`,
    )
    .requiredOption("-t, --type <name>", "The type of its tasks: which handler runs them")
    .option("-i, --input <json>", 'Their input as JSON; "-" reads stdin, "@file" reads a file', "{}")
    .option("--ttl <duration>", "A task expires when not started within this time")
    .option("--ttl-seconds <seconds>", "The same, in seconds")
    .option("--max-retries <n>", `Failures that are tried again (default: ${taskDefaults.maxRetries})`)
    .option("--max-reschedules <n>", 'Times that the handler may ask for later (default: "none", no cap)')
    .option("--max-throttles <n>", 'Times that the other side may say "not now" (default: "none", no cap)')
    .option("--timeout <duration>", `The longest that one run may take (default: ${formatDuration(taskDefaults.timeoutMs)})`)
    .option("--timeout-seconds <seconds>", "The same, in seconds")
    .option("--priority <n>", `Higher runs earlier (default: ${taskDefaults.priority})`)
    .option("--tag <name>", "A word to find its tasks by; may be repeated", collect)
    .option(
      "--gate <gate>",
      "A gate they pass: limit/key, limit alone where it is not split, limit/key=3 for a cost; may be repeated",
      collect,
    )
    .option("--flow <key>", "What they share fairly with others by (default: their type)")
    .option(
      "--max-input-bytes <size>",
      `The largest input that is taken, such as 1MiB (default: ${formatSize(queueDefaults.maxInputBytes)})`,
    )
    .action((name: string, given: Given) => add(session, name, given))
}

async function add(session: Session, name: string, given: Given): Promise<void> {
  parseName("schedule add", name)
  const type = parseName("--type", given.type)
  onlyOneFlag("schedule add", given, ["ttl", "ttlSeconds"])
  onlyOneFlag("schedule add", given, ["timeout", "timeoutSeconds"])
  const maxInputBytes = readFlag(given, "maxInputBytes", asNumber, parseSize)
  const options = optionsOf(given)
  const input = parseJson("--input", await textFrom(session.io, "--input", given.input as string))
  await session.withQueue(
    async (queue) => {
      const saved = await queue.schedule(name, given.cron as string, options, type, input)
      if (session.isJson) session.printJson({ ...scheduleDocument(saved), change: saved.change })
      else session.print(`${name}: ${changeText(saved)}, ${nextText(saved, await queue.now())}`)
    },
    maxInputBytes === undefined ? {} : { maxInputBytes },
  )
}

function optionsOf(given: Given): ScheduleOptions {
  const catchUp = readFlag(given, "catchUp", asCatchUp, parseCatchUp)
  const tags = (given.tag as readonly string[] | undefined)?.map((tag) => parseName("--tag", tag))
  const gates = (given.gate as readonly string[] | undefined)?.map((gate) => parseGate("--gate", gate))
  return {
    ...readFlags<ScheduleOptions>(given, shapes, scheduleTaskReaders),
    ...(given.timezone === undefined ? {} : { timezone: given.timezone as string }),
    ...(catchUp === undefined ? {} : { catchUp }),
    ...(tags ? { tags } : {}),
    ...(gates ? { gates } : {}),
  }
}

function changeText({ change }: SavedSchedule): string {
  return change === "unchanged" ? "nothing has changed" : change
}
