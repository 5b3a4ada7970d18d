// sluice limits learned import: what was exported takes the place of what the gates have learned. Line by line: where one is
// refused, those before it hold and those behind it are not looked at.

import { readFile } from "node:fs/promises"
import { resolve } from "node:path"
import type { Command } from "commander"
import { isSluiceError, SluiceError } from "../../../../errors/index.ts"
import type { LearnedExport, Queue } from "../../../../queue/index.ts"
import { parseJson } from "../../../../units/index.ts"
import { counted } from "../../../counted.ts"
import { define } from "../../../define.ts"
import type { Io } from "../../../io.ts"
import { whoAsks } from "../../../limit-change.ts"
import type { Session } from "../../../session.ts"

const where = "limits learned import"

export function addImport(learned: Command, session: Session): void {
  define(learned, {
    usage: "import <file>",
    summary: "Take over what other gates have learned",
    details:
      'The file has the lines of sluice limits learned export; "-" reads stdin. What a gate has learned already is replaced. A line that is refused ends it: those before it hold, those behind it are not looked at.',
    examples: [
      "sluice limits learned import learned.jsonl",
      "sluice limits learned export crawl | sluice limits learned import - --store $OTHER",
    ],
  }).action(async (file: string) => {
    const lines = (await textOf(session.io, file)).split("\n")
    await session.withQueue(async (queue) => {
      const imported = await importLines(queue, lines, whoAsks(session.io))
      if (session.isJson) session.printJson({ imported })
      else session.print(`imported ${counted(imported, "gate")} into ${session.place}`)
    })
  })
}

async function importLines(queue: Queue, lines: readonly string[], by: string): Promise<number> {
  let imported = 0
  for (const [i, line] of lines.entries()) {
    if (line.trim() === "") continue
    try {
      await queue.limits.importLearned(parseJson("a line of the file", line) as LearnedExport, { by })
    } catch (error) {
      throw isSluiceError(error) ? refusedLine(i + 1, imported, error) : error
    }
    imported++
  }
  return imported
}

function refusedLine(number: number, imported: number, cause: SluiceError): SluiceError {
  const before =
    imported === 0
      ? "nothing was imported"
      : `${counted(imported, "gate")} before it ${imported === 1 ? "was" : "were"} imported, nothing behind it`
  // No task is refused here: the file is what is wrong.
  const code = cause.code === "invalid_input" ? "invalid_option" : cause.code
  return new SluiceError(code, `${where}: line ${number}: ${cause.message}; ${before}`, { cause })
}

async function textOf(io: Io, file: string): Promise<string> {
  if (file === "-") return io.stdin()
  try {
    return await readFile(resolve(io.cwd, file), "utf8")
  } catch (cause) {
    throw new SluiceError("invalid_option", `${where}: expected a file at ${file}, or - for stdin, but ${(cause as Error).message}`, {
      cause,
    })
  }
}
