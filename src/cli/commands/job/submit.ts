// sluice job submit: many tasks in, the id of their job out. The id stands alone on the first line.

import type { Command } from "commander"
import { SluiceError } from "../../../errors/index.ts"
import { type JobOptions, type JobTask, jobDefaults, jobReaders } from "../../../queue/index.ts"
import { parseJson, parseName } from "../../../units/index.ts"
import { define } from "../../define.ts"
import { asNumber, asText, collect, type Given, orWord, readFlags } from "../../flags.ts"
import { textFrom } from "../../input-text.ts"
import type { Session } from "../../session.ts"
import { addTaskFlags, readTaskFlags } from "../../task-flags.ts"

const shapes = {
  concurrency: asNumber,
  failureThreshold: orWord("none", asNumber),
  exemptStatuses: (text: string) => (text === "none" ? [] : text.split(",").map((one) => asNumber(one.trim()))),
  cancelAfterThrottles: (text: string) => ({ count: asNumber(text) }),
} as const

export function addJobSubmit(job: Command, session: Session): void {
  const command = define(job, {
    usage: "submit <name>",
    summary: "Submit many tasks as one job and print its id",
    details:
      'Inputs are JSON, one a line: from a file, or from stdin with "-". All tasks have one type and the same options. The job completes with its last task, unless it is open.',
    examples: [
      "sluice job submit import -t fetch_page --inputs pages.jsonl --concurrency 5",
      "jq -c '.pages[]' site.json | sluice job submit crawl -t fetch_page --inputs - --failure-threshold 50",
      "sluice job submit nightly -t step -i '{\"n\": 1}' -i '{\"n\": 2}' --on-complete report",
    ],
  })
    .requiredOption("-t, --type <name>", "The type of its tasks: which handler runs them")
    .option("--inputs <file>", 'A file with one JSON input a line; "-" reads stdin')
    .option("-i, --input <json>", "One input; may be repeated", collect)
    .option("--concurrency <n>", "How many of its tasks run at once (default: any number)")
    .option(
      "--failure-threshold <n>",
      `Tasks in a row that end failed and fail the job (default: ${jobDefaults.failureThreshold}; "none": any number)`,
    )
    .option(
      "--exempt-statuses <list>",
      `Upstream statuses that do not count as failures (default: ${jobDefaults.exemptStatuses.join(",")}; "none")`,
    )
    .option(
      "--cancel-after-throttles <n>",
      "Refusals in a row, at a learned distance of a minute or more, that cancel the job (default: off)",
    )
    .option("--open", "More tasks will be added from outside: it completes only after sluice job close")
    .option("--on-complete <type>", "Submit a task of this type when the job has completed, once")
    .option("--on-complete-input <json>", "The input of that task", "{}")
  addTaskFlags(command).action((name: string, given: Given) => submit(session, name, given))
}

async function submit(session: Session, name: string, given: Given): Promise<void> {
  const type = parseName("--type", given.type)
  const inputs = await readInputs(session, given)
  const options = readTaskFlags("job submit", given)
  const follows = given.onComplete === undefined ? null : parseName("--on-complete", given.onComplete)
  const bounds: JobOptions = {
    ...readFlags<JobOptions>(given, shapes, jobReaders),
    ...(given.open === true ? { open: true } : {}),
    ...(follows
      ? { onComplete: { task: follows, input: parseJson("--on-complete-input", asText(given.onCompleteInput as string) as string) } }
      : {}),
  }
  await session.withQueue(async (queue) => {
    const tasks = inputs.map((input): JobTask => ({ task: type, input, options }))
    const job = await queue.submitJob(parseName("job", name), tasks, bounds)
    if (session.isJson) session.printJson(job.toJSON())
    else session.print(job.id)
  })
}

async function readInputs(session: Session, given: Given): Promise<unknown[]> {
  const single = ((given.input as readonly string[] | undefined) ?? []).map((text) => parseJson("--input", text))
  if (given.inputs === undefined) return single
  const text = await textFrom(session.io, "--inputs", given.inputs === "-" ? "-" : `@${given.inputs as string}`)
  const lines = text.split("\n").map((line, i) => ({ line: line.trim(), number: i + 1 }))
  const listed = lines.filter(({ line }) => line !== "").map(({ line, number }) => parseJson(`--inputs: line ${number}`, line))
  if (listed.length + single.length > 0) return [...listed, ...single]
  throw new SluiceError(
    "invalid_input",
    `--inputs: expected one JSON input a line, got an empty ${given.inputs === "-" ? "stdin" : "file"}`,
  )
}
