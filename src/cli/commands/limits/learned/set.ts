// sluice limits learned set: somebody knows better than a gate, which goes on learning from there.

import type { Command } from "commander"
import { SluiceError } from "../../../../errors/index.ts"
import type { GateView, Queue, TeachOptions } from "../../../../queue/index.ts"
import { parseDuration, parseRate } from "../../../../units/index.ts"
import { define } from "../../../define.ts"
import { asDuration, asText, type Given, onlyOneFlag, readFlags } from "../../../flags.ts"
import { learnedText } from "../../../learned-text.ts"
import { limitAndGate } from "../../../limit-and-gate.ts"
import { changeLimit } from "../../../limit-change.ts"
import type { Session } from "../../../session.ts"

const where = "limits learned set"

export function addLearnedSet(learned: Command, session: Session): void {
  const command = define(learned, {
    usage: "set <target>",
    summary: "Tell a gate what it should have learned",
    details:
      "The target is limit/key, or limit where it is not split. --delay and --floor are for a limit that learns by linear, --rate for one that learns by scout.",
    examples: ["sluice limits learned set crawl/example.com --delay 1.5s --floor 1s", "sluice limits learned set vendor-api --rate 5/s"],
  })
    .option("--delay <duration>", "The distance between two starts")
    .option("--floor <duration>", "The least that the distance may come to")
    .option("--rate <rate>", "The pace that it takes for the limit, such as 5/s")
  command.action(async (target: string, given: Given) => {
    onlyOneFlag(where, given, ["delay", "rate"])
    onlyOneFlag(where, given, ["floor", "rate"])
    const what = readFlags<TeachOptions>(
      given,
      { delay: asDuration, floor: asDuration, rate: asText },
      { delay: parseDuration, floor: parseDuration, rate: parseRate },
    )
    if (Object.keys(what).length === 0) throw invalid("expected --delay, --floor or both, or --rate, got none")
    await changeLimit(
      session,
      command,
      target,
      async (queue, limit, options) => {
        await checkTarget(queue, limit, options.key, what)
        await queue.limits.teach(limit, what, options)
      },
      (_limit, gate) => learnedText(gate) ?? "",
    )
  })
}

/** Says it in the words of the command line, and what would be told to nobody is not told. */
async function checkTarget(queue: Queue, limit: string, key: string | undefined, what: TeachOptions): Promise<void> {
  const { gate } = await limitAndGate(queue, { limit, key: key ?? "" })
  const preset = gate.policy.adaptive?.preset
  if (preset === undefined) throw invalid(`expected a limit that learns, got ${limit}, whose code has no adaptive: true`)
  if (preset === "linear" && what.rate !== undefined)
    throw invalid(`expected --delay or --floor, because ${limit} learns by linear, got --rate`)
  if (preset === "scout" && what.rate === undefined)
    throw invalid(
      `expected --rate, because ${limit} learns by scout, got ${Object.keys(what)
        .map((key) => `--${key}`)
        .join(" and ")}`,
    )
  if (key !== undefined) return
  const { gates } = await queue.limits.gates(limit, { limit: 1 })
  // By key: the gate of a limit that is not split comes first.
  const [first]: readonly GateView[] = gates
  if (first && first.key !== "") throw invalid(`expected one gate, such as ${first.gate}, because ${limit} is split by a key, got ${limit}`)
}

function invalid(message: string): SluiceError {
  return new SluiceError("invalid_option", `${where}: ${message}`)
}
