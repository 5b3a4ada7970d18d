// sluice submit: one task in, its id out. The id stands alone on the first line, so that `id=$(sluice submit …)` works.

import { readFile } from "node:fs/promises"
import { resolve } from "node:path"
import type { Command } from "commander"
import { SluiceError } from "../../errors/index.ts"
import { queueDefaults, type SubmitOptions, submitReaders, taskDefaults } from "../../queue/index.ts"
import { formatDuration, formatSize, parseJson, parseName, parseSize } from "../../units/index.ts"
import { define } from "../define.ts"
import { asDuration, asNumber, asText, collect, type Given, onlyOneFlag, orWord, readFlag, readFlags } from "../flags.ts"
import type { Io } from "../io.ts"
import { plain } from "../plain.ts"
import type { Session } from "../session.ts"
import { parseGate } from "../target.ts"

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
  idempotencyKey: asText,
  flow: asText,
} as const

export function addSubmit(program: Command, session: Session): void {
  define(program, {
    usage: "submit",
    summary: "Submit a task and print its id",
    details: "Durations are written 500ms, 30s, 5m, 1h or 7d; times with their zone, 2026-01-28T17:00:00Z.",
    examples: [
      'sluice submit -t call_api -i \'{"url": "https://example.com"}\' --max-reschedules 100',
      "sluice submit -t send_reminder -i '{}' --expires-at 2026-01-28T17:00:00Z",
      "sluice submit -t report -i @report.json --delay 10m --ttl 1h --tag nightly",
      "sluice submit -t call_api --gate vendor-api/host-1",
      "jq '.order' order.json | sluice submit -t ship -i - --idempotency-key order-7",
    ],
  })
    .requiredOption("-t, --type <name>", "The type of the task: which handler runs it")
    .option("-i, --input <json>", 'Its input as JSON; "-" reads stdin, "@file" reads a file', "{}")
    .option("--ttl <duration>", "Expires when not started within this time; 0 expires at once")
    .option("--ttl-seconds <seconds>", "The same, in seconds")
    .option("--expires-at <time>", "Expires when not started by then")
    .option("--delay <duration>", "Starts no sooner than this much later")
    .option("--schedule-at <time>", "Starts no sooner than then")
    .option("--max-retries <n>", `Failures that are tried again (default: ${taskDefaults.maxRetries})`)
    .option("--max-reschedules <n>", 'Times that the handler may ask for later (default: "none", no cap)')
    .option("--max-throttles <n>", 'Times that the other side may say "not now" (default: "none", no cap)')
    .option("--timeout <duration>", `The longest that one run may take (default: ${formatDuration(taskDefaults.timeoutMs)})`)
    .option("--timeout-seconds <seconds>", "The same, in seconds")
    .option("--priority <n>", `Higher runs earlier (default: ${taskDefaults.priority})`)
    .option("--idempotency-key <key>", "The same key and input again give back the first task")
    .option("--tag <name>", "A word to find it by; may be repeated", collect)
    .option(
      "--gate <gate>",
      "A gate it passes: limit/key, limit alone where it is not split, limit/key=3 for a cost; may be repeated",
      collect,
    )
    .option("--flow <key>", "What it shares fairly with others by (default: its type)")
    .option(
      "--max-input-bytes <size>",
      `The largest input that is taken, such as 1MiB (default: ${formatSize(queueDefaults.maxInputBytes)})`,
    )
    .action((given: Given) => submit(session, given))
}

async function submit(session: Session, given: Given): Promise<void> {
  const type = parseName("--type", given.type)
  onlyOneFlag("submit", given, ["ttl", "ttlSeconds", "expiresAt"])
  onlyOneFlag("submit", given, ["delay", "scheduleAt"])
  onlyOneFlag("submit", given, ["timeout", "timeoutSeconds"])
  const tags = (given.tag as readonly string[] | undefined)?.map((tag) => parseName("--tag", tag))
  const gates = (given.gate as readonly string[] | undefined)?.map((gate) => parseGate("--gate", gate))
  const options: SubmitOptions = {
    ...readFlags<SubmitOptions>(given, shapes, submitReaders),
    ...(tags ? { tags } : {}),
    ...(gates ? { gates } : {}),
  }
  const maxInputBytes = readFlag(given, "maxInputBytes", asNumber, parseSize)
  const input = parseJson("--input", await inputText(session.io, given.input as string))
  await session.withQueue(
    async (queue) => {
      const task = await queue.submit(type, input, options)
      if (session.isJson) session.printJson(task.toJSON())
      else session.print(task.id)
      if (task.warning !== null) session.note(`warning: ${plain(task.warning)}`)
    },
    maxInputBytes === undefined ? {} : { maxInputBytes },
  )
}

async function inputText(io: Io, input: string): Promise<string> {
  if (input === "-") return io.stdin()
  if (!input.startsWith("@")) return input
  try {
    return await readFile(resolve(io.cwd, input.slice(1)), "utf8")
  } catch (cause) {
    throw new SluiceError("invalid_input", `--input: expected a file at ${input.slice(1)}, but ${(cause as Error).message}`, { cause })
  }
}
