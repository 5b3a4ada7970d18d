// sluice submit: one task in, its id out. The id stands alone on the first line, so that `id=$(sluice submit …)` works.

import type { Command } from "commander"
import { type Queue, queueDefaults, type SubmitOptions, submitReaders } from "../../queue/index.ts"
import { formatSize, parseJson, parseName, parseSize } from "../../units/index.ts"
import { define } from "../define.ts"
import { asNumber, asText, type Given, readFlag, readFlags } from "../flags.ts"
import { textFrom } from "../input-text.ts"
import { plain } from "../plain.ts"
import type { Session } from "../session.ts"
import { addTaskFlags, readTaskFlags } from "../task-flags.ts"
import { unhandledText } from "../unhandled.ts"

export function addSubmit(program: Command, session: Session): void {
  const command = define(program, {
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
  addTaskFlags(command)
    .option("--idempotency-key <key>", "The same key and input again give back the first task")
    .option("--job <id>", "A job that runs: the task becomes one of its tasks")
    .option(
      "--max-input-bytes <size>",
      `The largest input that is taken, such as 1MiB (default: ${formatSize(queueDefaults.maxInputBytes)})`,
    )
    .action((given: Given) => submit(session, given))
}

async function submit(session: Session, given: Given): Promise<void> {
  const type = parseName("--type", given.type)
  const options: SubmitOptions = {
    ...readTaskFlags("submit", given),
    ...readFlags<SubmitOptions>(given, { idempotencyKey: asText, job: asText }, submitReaders),
  }
  const maxInputBytes = readFlag(given, "maxInputBytes", asNumber, parseSize)
  const input = parseJson("--input", await textFrom(session.io, "--input", given.input as string))
  await session.withQueue(
    async (queue) => {
      const task = await queue.submit(type, input, options)
      if (session.isJson) session.printJson(task.toJSON())
      else session.print(task.id)
      if (task.warning !== null) session.note(`warning: ${plain(task.warning)}`)
      await tellUnhandled(session, queue, type)
    },
    maxInputBytes === undefined ? {} : { maxInputBytes },
  )
}

/** Where nobody works yet, only to a person: scripts submit before they start workers. */
async function tellUnhandled(session: Session, queue: Queue, type: string): Promise<void> {
  if (session.isJson) return
  const workers = await queue.workers()
  const unhandled = unhandledText(type, workers)
  if (unhandled !== null && (workers.length > 0 || session.io.stderr.isTTY)) session.note(`note: ${plain(unhandled)}`)
}
