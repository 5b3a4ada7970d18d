// sluice simulate: the gates of a backlog in virtual time, before there is one. It needs a store only where it names a limit of it.

import type { Command } from "commander"
import { SluiceError, shown } from "../../errors/index.ts"
import { documentOf } from "../../queue/document.ts"
import { type AnyLimit, type LimitUse, mostTasks, readDurations, type SimulateOptions, simulate } from "../../queue/index.ts"
import type { Simulation } from "../../simulate/index.ts"
import { parseRate, wholeNumber } from "../../units/index.ts"
import { define } from "../define.ts"
import { asDuration, asNumber, asText, collect, type Given, readFlag, type Shape } from "../flags.ts"
import type { Session } from "../session.ts"
import { parseSimulated } from "../simulated-limit.ts"
import { simulationLines } from "../simulation-text.ts"
import { isFileMissing } from "../store-file.ts"

interface Options extends SimulateOptions<AnyLimit | string> {
  readonly limits: readonly LimitUse<AnyLimit | string>[]
}

export function addSimulate(program: Command, session: Session): void {
  const command = define(program, {
    usage: "simulate",
    summary: "Tell when a backlog ends, what binds, and what one unit more buys",
    details:
      "Runs the gates in virtual time; nothing is submitted. A limit is given as name: rate, and behind it concurrency=, provider=, burst=, slack=, guard=, keys=, cost=; or as a name alone that the store knows.",
    examples: [
      'sluice simulate --tasks 100000 --limit "vendor-api: 10/10s, concurrency=5" --duration p50=1s,p99=8s',
      'sluice simulate --tasks 5000 --limit "crawl: 1/s, keys=50" --limit "egress: 100/1m" --duration 2s --concurrency 20',
      "sluice simulate --tasks 100000 --limit vendor-api --arrivals 50/s --duration 1s --json",
    ],
  })
    .requiredOption("--tasks <count>", `How many tasks, up to ${mostTasks}`)
    .option("--limit <limit>", 'A limit that every task passes, such as "vendor-api: 10/10s"; may be repeated', collect)
    .option("--duration <duration>", "How long a task runs: 1s, or p50=1s,p99=8s")
    .option("--concurrency <n>", "How many all workers together run at once (default: any number)")
    .option("--arrivals <rate>", "So many tasks come in so long, such as 50/s (default: all are there from the start)")
    .option("--seed <n>", "Durations and keys are drawn from it (default: 1)")
  command.action(async (given: Given) => {
    const options = readGiven(given)
    const stored = options.limits.find((use) => typeof use.limit === "string")
    if (!stored) return tell(session, simulate(options as SimulateOptions))
    if (isFileMissing(session.storeUrl)) throw noStore(stored.limit as string)
    await session.withQueue(async (queue) => tell(session, await queue.simulate(options)))
  })
}

function readGiven(given: Given): Options {
  const tasks = readFlag(given, "tasks", asNumber, wholeNumber(1, mostTasks)) ?? 0
  const limits = ((given.limit as readonly string[] | undefined) ?? []).map((text) => parseSimulated("--limit", text))
  const concurrency = readFlag(given, "concurrency", asNumber, wholeNumber(1, 1_000_000))
  const seed = readFlag(given, "seed", asNumber, wholeNumber(0, 4_294_967_295))
  readFlag(given, "arrivals", asText, parseRate)
  readFlag(given, "duration", asDurations, readDurations)
  return {
    tasks,
    limits,
    ...(given.duration === undefined ? {} : { duration: asDurations(given.duration as string) as NonNullable<Options["duration"]> }),
    ...(concurrency === undefined ? {} : { concurrency }),
    ...(given.arrivals === undefined ? {} : { arrivals: given.arrivals as string }),
    ...(seed === undefined ? {} : { seed }),
  }
}

/** "p50=1s,p99=8s" as { p50: "1s", p99: "8s" }. */
const asDurations: Shape = (text) => {
  if (!text.includes("=")) return asDuration(text)
  return Object.fromEntries(
    text.split(",").map((part) => [part.slice(0, part.indexOf("=")).trim(), part.slice(part.indexOf("=") + 1).trim()]),
  )
}

function tell(session: Session, simulation: Simulation): void {
  if (session.isJson) session.printJson(documentOf(simulation))
  else session.print(...simulationLines(session, simulation))
}

function noStore(limit: string): SluiceError {
  return new SluiceError(
    "unknown_limit",
    `simulate: expected a limit that the store knows, got ${shown(limit)}, but there is no such file yet; give it a rate, such as --limit "${limit}: 10/10s"`,
  )
}
