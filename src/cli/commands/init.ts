// sluice init: a file of limits, a file of tasks and a program that submits, to begin with. It writes into the current folder only, and
// nothing at all where one of them is there already.

import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Command } from "commander"
import { SluiceError } from "../../errors/index.ts"
import { define } from "../define.ts"
import { firstFiles } from "../first-files.ts"
import type { Session } from "../session.ts"

const next = [
  ["npx jiti submit.ts", "submits five tasks and says when each will start"],
  ["npx sluice work tasks.ts", "runs them; Ctrl-C stops"],
  ["npx sluice list", "what became of them"],
] as const

export function addInit(program: Command, session: Session): void {
  define(program, {
    usage: "init",
    summary: "Write a first limit, a first task and a program that submits it",
    details: "Writes limits.ts, tasks.ts and submit.ts into the current folder, and nothing where one of them is there already.",
    examples: ["sluice init"],
  }).action(() => init(session))
}

function init(session: Session): void {
  const { cwd } = session.io
  const names = Object.keys(firstFiles)
  const there = names.filter((name) => existsSync(join(cwd, name)))
  if (there.length > 0)
    throw new SluiceError(
      "invalid_option",
      `init: expected no ${there.join(" and no ")} in ${cwd}; move it away, or begin in another folder. Nothing was written`,
    )
  for (const [name, text] of Object.entries(firstFiles)) write(join(cwd, name), text)
  if (session.isJson) session.printJson({ files: names })
  else session.print(`Wrote ${names.join(", ")}.`, "", ...next.map(([command, what]) => `  ${command.padEnd(26)} # ${what}`))
}

function write(path: string, text: string): void {
  try {
    writeFileSync(path, text, { flag: "wx" })
  } catch (cause) {
    throw new SluiceError("invalid_option", `init: expected to write ${path}, but ${(cause as Error).message}`, { cause })
  }
}
