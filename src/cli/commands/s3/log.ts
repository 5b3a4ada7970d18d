// sluice s3 log: the records of the log as they are, one line for each request.

import type { Command } from "commander"
import { SluiceError } from "../../../errors/index.ts"
import { resolveLog } from "../../../queue/index.ts"
import type { ShownRecord } from "../../../store/index.ts"
import { formatInstant, wholeNumber } from "../../../units/index.ts"
import { define } from "../../define.ts"
import type { Given } from "../../flags.ts"
import { plain } from "../../plain.ts"
import type { Session } from "../../session.ts"

const usualCount = 20

export function addLog(s3: Command, session: Session): void {
  define(s3, {
    usage: "log",
    summary: "Print the records of the log",
    details: "The latest that are there, the oldest of them first. Records that a snapshot has long taken the place of are gone.",
    examples: ["sluice s3 log", "sluice s3 log --from 4200 --count 5", "sluice s3 log --json | jq -c '.requests[] | .op'"],
  })
    .option("--from <number>", "Begin with this record")
    .option("--count <n>", `How many records at most (${usualCount})`)
    .action(async (given: Given) => {
      const read = await resolveLog(session.storeUrl)
      if (!read)
        throw new SluiceError("unknown_store", `sluice s3 log: expected a store such as "s3://bucket/prefix", got ${session.place}`)
      const from = given.from === undefined ? null : wholeNumber(1, 999_999_999_999)("--from", Number(given.from))
      const count = given.count === undefined ? usualCount : wholeNumber(1, 100_000)("--count", Number(given.count))
      const request = { url: session.storeUrl, namespace: session.namespace, world: session.io.world }
      for await (const record of read(request, { from, count })) {
        if (session.isJson) session.printJson(documentOf(record))
        else session.print(...linesOf(record))
      }
    })
}

function documentOf({ number, writer, atMs, errorMs, requests }: ShownRecord): object {
  return { number, at: formatInstant(atMs), error_ms: errorMs, writer, requests }
}

function linesOf({ number, writer, atMs, errorMs, requests }: ShownRecord): readonly string[] {
  return [
    `${number}  ${formatInstant(atMs)} (+${errorMs} ms)  ${plain(writer)}`,
    ...requests.map(({ op, request }) => `    ${plain(op)} ${plain(JSON.stringify(request))}`),
  ]
}
