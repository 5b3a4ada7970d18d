// sluice schedule add: a new schedule, or another one in place of that of the same name.

import type { Command } from "commander"
import { SluiceError, shown } from "../../../errors/index.ts"
import { scheduleDocument } from "../../../queue/document.ts"
import {
  mostCaughtUp,
  queueDefaults,
  readCatchUp,
  type SavedSchedule,
  type ScheduleOptions,
  scheduleDefaults,
} from "../../../queue/index.ts"
import { formatSize, parseJson, parseName, parseSize } from "../../../units/index.ts"
import { define } from "../../define.ts"
import { asNumber, type Given, readFlag, type Shape } from "../../flags.ts"
import { textFrom } from "../../input-text.ts"
import { nextText } from "../../schedule-text.ts"
import type { Session } from "../../session.ts"
import { addTaskFlags, readTaskFlags } from "../../task-flags.ts"

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
  const command = define(schedule, {
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
  addTaskFlags(command, true)
    .option(
      "--max-input-bytes <size>",
      `The largest input that is taken, such as 1MiB (default: ${formatSize(queueDefaults.maxInputBytes)})`,
    )
    .action((name: string, given: Given) => add(session, name, given))
}

async function add(session: Session, name: string, given: Given): Promise<void> {
  parseName("schedule add", name)
  const type = parseName("--type", given.type)
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
  return {
    ...readTaskFlags("schedule add", given),
    ...(given.timezone === undefined ? {} : { timezone: given.timezone as string }),
    ...(catchUp === undefined ? {} : { catchUp }),
  }
}

function changeText({ change }: SavedSchedule): string {
  return change === "unchanged" ? "nothing has changed" : change
}
