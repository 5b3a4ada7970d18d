// The command line of `npm run chaos`, read once.

import { Command, CommanderError, InvalidArgumentError } from "commander"
import { type AppendFsync, chaosStores, fsyncs, type Keeping } from "./stores/index.ts"
import type { StormOptions } from "./storm.ts"

export const parts = ["storm", "slots", "losses"] as const
export type Part = (typeof parts)[number]

export interface ChaosOptions extends StormOptions, Keeping {
  readonly store: string
  /** Round after round until so many hours are over; null for one round. */
  readonly hours: number | null
  readonly only: Part | null
  readonly json: boolean
}

type Given = Partial<Omit<ChaosOptions, "store" | "json">> & { readonly json: boolean }

/** What was asked for; or the text to end with, and the exit code. */
export type Read = { readonly options: ChaosOptions } | { readonly text: string; readonly exitCode: number }

export function readArguments(words: readonly string[]): Read {
  let text = ""
  const write = (more: string) => {
    text += more
  }
  const program = makeProgram().exitOverride().configureOutput({ writeOut: write, writeErr: write })
  try {
    program.parse(words, { from: "user" })
  } catch (error) {
    if (error instanceof CommanderError) return { text, exitCode: error.exitCode === 0 ? 0 : 2 }
    throw error
  }
  const { json, only = null, hours = null, workers = 4, seed = 1 + Math.floor(Math.random() * 999_999), ...given } = program.opts<Given>()
  const tasks = given.tasks ?? (hours === null ? 10_000 : roundTasks)
  const kills = given.kills ?? Math.ceil(tasks / 100)
  const { pauses = Math.ceil(kills / 5), restarts = Math.ceil(kills / 20), cuts = Math.ceil(kills / 2), partitions = 1 } = given
  const { appendonly = true, appendfsync = "always" } = given
  const keeping = { appendonly, appendfsync }
  const faults = { kills, pauses, restarts, cuts, partitions }
  return {
    options: { store: program.args[0] ?? "", tasks, ...faults, workers, seed, hours, ...keeping, only: only ?? alone(keeping), json },
  }
}

/** Where the server may lose what it has said yes to, how much that is is all there is to see. */
const alone = ({ appendonly, appendfsync }: Keeping): Part | null => (appendonly && appendfsync === "always" ? null : "losses")

/** Of a long run: the checker remembers everything of a round, so a round must not be of any length. */
const roundTasks = 50_000

const listed = "storm, slots or losses"

function makeProgram(): Command {
  return new Command("npm run chaos --")
    .description(
      "Kills and stops worker processes on a real store while they work, and checks that nothing of what was promised is broken.",
    )
    .argument("<store>", `one of: ${Object.keys(chaosStores).join(", ")}`, storeName)
    .option("--tasks <n>", "how many to submit, at least; of one round with --hours (10000; 50000 with --hours)", whole(1))
    .option("--kills <n>", "processes to kill with SIGKILL (a hundredth of the tasks)", whole(0))
    .option("--pauses <n>", "processes to stop with SIGSTOP for longer than a lease (a fifth of the kills)", whole(0))
    .option("--restarts <n>", "restarts of the store, where it is a server (a twentieth of the kills)", whole(0))
    .option("--cuts <n>", "cuts of the way of one process to such a server (half of the kills)", whole(0))
    .option("--partitions <n>", "times at which nobody reaches such a server for ten seconds (1)", whole(0))
    .option("--appendonly <yes|no>", "whether Redis keeps a log of what it is told (yes)", yesOrNo)
    .option("--appendfsync <when>", `when Redis brings its log to the disk: ${fsyncs.join(", ")} (always)`, fsync)
    .option("--workers <n>", "worker processes at a time (4)", whole(2))
    .option("--hours <n>", "round after round, each with a store of its own, until the time is over", positive)
    .option("--only <part>", `one part alone: ${listed}`, part)
    .option("--seed <n>", "repeats the choices that can be repeated (random)", whole(0))
    .option("--json", "print one JSON object instead of text", false)
    .allowExcessArguments(false)
    .showHelpAfterError("(see npm run chaos -- --help)")
    .addHelpText(
      "after",
      "\nWith any other way of keeping than --appendonly yes --appendfsync always, the server is killed --restarts times under load, and what it had said yes to and has lost is counted.",
    )
    .addHelpText("after", "\nEnds with 1 if anything was lost, broken or left behind, or if less than 98 % of the slots were used.")
}

function whole(least: number): (text: string) => number {
  return (text) => {
    if (/^\d{1,8}$/.test(text) && Number(text) >= least) return Number(text)
    throw new InvalidArgumentError(`Expected a whole number from ${least} to 99999999.`)
  }
}

function positive(text: string): number {
  if (/^\d{1,3}(\.\d{1,3})?$/.test(text) && Number(text) > 0) return Number(text)
  throw new InvalidArgumentError("Expected a number of hours such as 1 or 0.5.")
}

function yesOrNo(text: string): boolean {
  if (text === "yes" || text === "no") return text === "yes"
  throw new InvalidArgumentError("Expected yes or no.")
}

function fsync(text: string): AppendFsync {
  const found = fsyncs.find((one) => one === text)
  if (found) return found
  throw new InvalidArgumentError(`Expected one of: ${fsyncs.join(", ")}.`)
}

function part(text: string): Part {
  const found = parts.find((one) => one === text)
  if (found) return found
  throw new InvalidArgumentError(`Expected ${listed}.`)
}

function storeName(text: string): string {
  if (Object.hasOwn(chaosStores, text)) return text
  throw new InvalidArgumentError(`Expected one of: ${Object.keys(chaosStores).join(", ")}.`)
}
