// `npm run simulate`: one seed with its trace, or as many as there is time for.

import { Command, InvalidArgumentError, Option } from "commander"
import type { HistoryEvent } from "../../src/testing/index.ts"
import { describeFailure, ownSource, runSeeds } from "./many-seeds.ts"
import { runnerOf, type StoreName, storeNames } from "./seed-store.ts"

const number = (least: number, isWhole: boolean) => (value: string) => {
  const parsed = Number(value)
  if (value.trim() === "" || !Number.isFinite(parsed) || parsed < least || (isWhole && !Number.isSafeInteger(parsed)))
    throw new InvalidArgumentError(`expected a ${isWhole ? "whole " : ""}number, ${least} or more, got "${value}"`)
  return parsed
}

interface Options {
  readonly seed?: number
  readonly seeds: number
  readonly from: number
  readonly hours?: number
  readonly threads?: number
  readonly store: StoreName
  readonly json?: true
}

const program = new Command("npm run simulate --")
  .description("Runs the real queue and workers in virtual time under seeded faults, and judges what happened.")
  .option("--seed <number>", "replay one seed and print its trace", number(0, true))
  .option("--seeds <count>", "how many seeds to run", number(1, true), 10_000)
  .option("--from <number>", "the first seed", number(0, true), 1)
  .option("--hours <hours>", "run until the time is over instead of a number of seeds", number(0, false))
  .option("--threads <count>", "how many threads; one for each core if not given", number(1, true))
  .addOption(new Option("--store <name>", "the store to run it on").choices([...storeNames]).default("memory"))
  .option("--json", "print one JSON object")
  .allowExcessArguments(false)
  .parse()
const options = program.opts<Options>()

if (options.seed === undefined) await runMany()
else await replay(options.seed)

async function replay(seed: number): Promise<void> {
  const onEvent = (event: HistoryEvent) => console.log(JSON.stringify(event))
  const result = await (await runnerOf(ownSource, options.store))({ seed, onEvent })
  console.log(JSON.stringify({ ...result, traceHash: undefined }, null, 2))
  process.exitCode = result.violations.length > 0 ? 1 : 0
}

async function runMany(): Promise<void> {
  const { seeds, from, hours, threads, store, json } = options
  const endsAtMs = hours === undefined ? Number.POSITIVE_INFINITY : Date.now() + hours * 3_600_000
  const startedAtMs = Date.now()
  const { ran, failures, totals } = await runSeeds({
    from,
    store,
    count: hours === undefined ? seeds : Number.POSITIVE_INFINITY,
    ...(threads === undefined ? {} : { threads }),
    isOver: () => Date.now() >= endsAtMs,
    onResult: (result, done) => {
      if (result.violations.length > 0) console.error(describeFailure(result, store))
      else if (done % 10_000 === 0 && !json) console.error(`${done} seeds`)
    },
  })
  const seconds = Math.round((Date.now() - startedAtMs) / 1_000)
  if (json) console.log(JSON.stringify({ store, from, ran, seconds, failed: failures.map(({ seed }) => seed), totals }))
  else {
    const sums = Object.entries(totals).map(([name, count]) => `${count} ${name}`)
    console.log(`${ran} seeds on ${store} from ${from} in ${seconds} s: ${failures.length} broke a promise. ${sums.join(", ")}`)
  }
  process.exitCode = failures.length > 0 || ran === 0 ? 1 : 0
}
