// sluice doctor: where this command line looks, what the store says of itself, and whether all is well there.

import type { Command } from "commander"
import { maskPassword } from "../../units/index.ts"
import { type Check, runChecks } from "../checks.ts"
import { colourOf } from "../colour.ts"
import { define } from "../define.ts"
import { plain } from "../plain.ts"
import type { Session } from "../session.ts"
import { table } from "../table.ts"
import { version } from "../version.ts"

export function addDoctor(program: Command, session: Session): void {
  define(program, {
    usage: "doctor",
    summary: "Show the store, its settings and its health",
    details: "Looks only; changes nothing. Ends with 0 also where it warns.",
    examples: ["sluice doctor", "sluice doctor --json | jq '.checks[] | select(.result == \"warn\")'"],
  }).action(() =>
    session.withQueue(async (queue) => {
      const { kind, namespace, durability, facts } = await queue.describe()
      const checks = await runChecks(queue)
      const runtime = { sluice: version, node: process.versions.node, platform: `${process.platform} ${process.arch}` }
      const place = { store: kind, url: maskPassword(session.storeUrl), namespace, durability }
      if (session.isJson) session.printJson({ ...place, facts, ...runtime, checks })
      else session.print(...factsTable({ ...place, ...facts, ...runtime }), "", ...checksTable(session, checks))
    }),
  )
}

function factsTable(facts: Readonly<Record<string, string | number>>): string[] {
  const rows = Object.entries(facts).map(([name, value]) => [{ text: name }, { text: plain(String(value)) }])
  return table(rows, { width: null })
}

function checksTable(session: Session, checks: readonly Check[]): string[] {
  const rows = checks.map(({ result, message }) => [
    { text: result, paint: (shown: string) => session.paint(colourOf(result), shown) },
    { text: message },
  ])
  return table(rows, { width: null })
}
