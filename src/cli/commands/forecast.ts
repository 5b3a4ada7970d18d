// sluice forecast: where tasks wait and when it opens there, and how far forecasts were off so far.

import type { Command } from "commander"
import { documentOf } from "../../queue/document.ts"
import { summarise } from "../../queue/forecast-summary.ts"
import type { GatesPage, GateView, LimitView, Queue } from "../../queue/index.ts"
import { wholeNumber } from "../../units/index.ts"
import { define } from "../define.ts"
import { asNumber, type Given, readFlag } from "../flags.ts"
import { boundText } from "../forecast-error.ts"
import { gatesTable } from "../gates-table.ts"
import { headed } from "../headed.ts"
import type { Session } from "../session.ts"

const defaultLimit = 20

/** Gates of one limit at which tasks wait. */
interface Waiting {
  readonly limit: LimitView
  readonly gates: readonly GateView[]
  /** There are more of them than were asked for. */
  readonly hasMore: boolean
}

export function addForecast(program: Command, session: Session): void {
  define(program, {
    usage: "forecast",
    summary: "Show where tasks wait, when it opens, and how good forecasts were",
    details: "Errors are those of forecasts at submission against the true start, for tasks that something held.",
    examples: ["sluice forecast", "sluice forecast --limit 100 --json | jq '.errors'"],
  })
    .option("--limit <n>", `At most so many gates of each limit (default: ${defaultLimit})`)
    .action(async (given: Given) => {
      const limit = readFlag(given, "limit", asNumber, wholeNumber(1, 1_000)) ?? defaultLimit
      await session.withQueue((queue) => forecast(session, queue, limit))
    })
}

async function forecast(session: Session, queue: Queue, limit: number): Promise<void> {
  const now = await queue.now()
  const limits = (await queue.limits.list()).filter(({ waitingTasks }) => waitingTasks > 0)
  const waiting = await Promise.all(limits.map((one) => waitingAt(queue, one, limit)))
  const { types } = await queue.forecastErrors()
  const errors = types.map(({ type, buckets }) => ({ type, ...summarise(buckets) }))
  if (session.isJson) {
    session.printJson({
      limits: waiting.map(({ limit: { name, waitingTasks }, gates, hasMore }) => documentOf({ name, waitingTasks, gates, hasMore })),
      errors: errors.map(({ type, count, p50Ms, p99Ms }) => ({ task_type: type, count, p50_below_ms: p50Ms, p99_below_ms: p99Ms })),
    })
    return
  }
  if (waiting.length === 0) session.print("no task waits at a gate")
  else
    session.print(
      ...gatesTable(
        session,
        waiting.flatMap(({ gates }) => gates),
        { heading: "GATE", nameOf: ({ gate }) => gate, now },
      ),
    )
  for (const { limit: one, hasMore } of waiting)
    if (hasMore)
      session.note(`more gates of ${one.name} have waiting tasks: repeat with a higher --limit, or see sluice limits show ${one.name}`)
  if (errors.length > 0) session.print("", ...errorsTable(session, errors))
}

/** Gates come by key, so all of them may have to be looked at to find those where tasks wait. */
async function waitingAt(queue: Queue, limit: LimitView, most: number): Promise<Waiting> {
  const found: GateView[] = []
  let cursor: string | null = null
  do {
    const page: GatesPage = await queue.limits.gates(limit.name, {
      limit: 1_000,
      ...(cursor === null ? {} : { cursor }),
    })
    found.push(...page.gates.filter(({ waitingTasks }) => waitingTasks > 0))
    cursor = page.cursor
  } while (cursor !== null && found.length <= most)
  return { limit, gates: found.slice(0, most), hasMore: found.length > most }
}

function errorsTable(session: Session, errors: readonly { type: string; count: number; p50Ms: number; p99Ms: number }[]): string[] {
  const rows = errors.map(({ type, count, p50Ms, p99Ms }) => [type, String(count), boundText(p50Ms), boundText(p99Ms)])
  return headed(session, ["TYPE", "STARTED", "OFF BY (P50)", "OFF BY (P99)"], rows, [1, 2, 3])
}
