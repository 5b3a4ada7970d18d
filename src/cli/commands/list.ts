// sluice list: a page of tasks, newest first, as a table or as documents.

import { type Command, Option } from "commander"
import type { ListOptions, Task, TaskForecast } from "../../queue/index.ts"
import { budgets } from "../../store/index.ts"
import { type Status, statuses } from "../../task/index.ts"
import { formatDuration, oneOf, parseInstant, parseKey, parseName, wholeNumber } from "../../units/index.ts"
import { colourOf } from "../colour.ts"
import { define } from "../define.ts"
import { asNumber, asText, collect, type Given, readFlags } from "../flags.ts"
import { forecastsOf, startsText } from "../forecasts.ts"
import { headed } from "../headed.ts"
import { plain } from "../plain.ts"
import type { Session } from "../session.ts"
import type { Cell } from "../table.ts"
import { relative } from "../when.ts"

const shapes = {
  type: asText,
  tag: asText,
  job: asText,
  createdFrom: asText,
  createdBefore: asText,
  limit: asNumber,
  cursor: asText,
} as const
const readers = {
  type: parseName,
  tag: parseName,
  job: parseKey,
  createdFrom: parseInstant,
  createdBefore: parseInstant,
  limit: wholeNumber(1, budgets.listPage),
}
const readStatus = oneOf(...statuses)

export function addList(program: Command, session: Session): void {
  define(program, {
    usage: "list",
    summary: "List tasks, newest first",
    details: "The column WHEN says since when a task waits, runs or has ended, when it is due, or about when a gate lets it start.",
    examples: [
      "sluice list --status expired",
      "sluice list --status failed,cancelled --type call_api",
      "sluice list --json --limit 1000 | jq '.tasks[].id'",
    ],
  })
    .addOption(new Option("--status <status>", "Only these; repeated or separated by commas").choices(statuses).argParser(collect))
    .option("-t, --type <name>", "Only tasks of this type")
    .option("--tag <name>", "Only tasks with this tag")
    .option("--job <id>", "Only tasks of this job")
    .option("--created-from <time>", "Only tasks created at this time or later")
    .option("--created-before <time>", "Only tasks created before this time")
    .option("--limit <n>", `At most so many, up to ${budgets.listPage} (default: 50)`)
    .option("--cursor <cursor>", "Goes on where the page before ended")
    .action((given: Given) => list(session, given))
}

async function list(session: Session, given: Given): Promise<void> {
  const status = statusesIn(given)
  const options: ListOptions = { ...readFlags<ListOptions>(given, shapes, readers), ...(status ? { status } : {}) }
  await session.withQueue(async (queue) => {
    const { tasks, cursor } = await queue.list(options)
    if (session.isJson) {
      session.printJson({ tasks: tasks.map((task) => task.toJSON()), cursor })
      return
    }
    if (tasks.length === 0) session.note(`no tasks ${Object.keys(options).length > 0 ? "that match " : ""}in ${session.place}`)
    else session.print(...tasksTable(session, tasks, await forecastsOf(queue, tasks), await queue.now()))
    if (cursor !== null) session.note(`more: repeat with --cursor ${cursor}`)
  })
}

function statusesIn(given: Given): Status[] | undefined {
  const words = (given.status as readonly string[] | undefined)?.flatMap((text) => text.split(","))
  return words?.map((word) => readStatus("--status", word.trim()))
}

function tasksTable(session: Session, tasks: readonly Task[], forecasts: ReadonlyMap<string, TaskForecast>, now: Date): string[] {
  const row = (task: Task): (Cell | string)[] => [
    task.id,
    task.type,
    { text: task.status, paint: (shown) => session.paint(colourOf(task.status), shown) },
    String(task.attempt),
    when(task, forecasts.get(task.id) ?? null, now),
    plain(task.lastError ?? ""),
  ]
  return headed(session, ["ID", "TYPE", "STATUS", "ATTEMPT", "WHEN", "LAST ERROR"], tasks.map(row), [3])
}

function when(task: Task, forecast: TaskForecast | null, now: Date): string {
  const nowMs = now.getTime()
  const since = (at: Date) => formatDuration(Math.max(0, nowMs - at.getTime()))
  if (task.status === "pending") {
    const starts = forecast && startsText(forecast, now)
    if (starts !== null) return starts
    return task.availableAt > now ? relative(task.availableAt.getTime(), nowMs) : `waits ${since(task.availableAt)}`
  }
  if (task.status === "running") return `runs ${since(task.startedAt ?? task.updatedAt)}`
  return relative((task.completedAt ?? task.expiredAt ?? task.updatedAt).getTime(), nowMs)
}
