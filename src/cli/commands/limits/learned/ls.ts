// sluice limits learned ls: gates that have learned something.

import type { Command } from "commander"
import { documentOf } from "../../../../queue/document.ts"
import type { GatesPage, GateView, Queue } from "../../../../queue/index.ts"
import { everyText } from "../../../../queue/window-text.ts"
import { parseName, wholeNumber } from "../../../../units/index.ts"
import { define } from "../../../define.ts"
import { asNumber, type Given, readFlag } from "../../../flags.ts"
import { headed } from "../../../headed.ts"
import { plain } from "../../../plain.ts"
import type { Session } from "../../../session.ts"
import { relative } from "../../../when.ts"

const defaultCount = 50

export function addLearnedLs(learned: Command, session: Session): void {
  define(learned, {
    usage: "ls [limit]",
    summary: "List gates that have learned something",
    details:
      "Of one limit or of all. EVERY is the distance between two starts, FLOOR the least that is known to be safe; REFUSED and ANSWERED are in a row.",
    examples: ["sluice limits learned ls", "sluice limits learned ls crawl --json | jq '.[].learned.every_ms'"],
  })
    .option("--limit <n>", `At most so many gates (default: ${defaultCount})`)
    .action(async (name: string | undefined, given: Given) => {
      const limit = name === undefined ? undefined : parseName("limits learned ls", name)
      const most = readFlag(given, "limit", asNumber, wholeNumber(1, 10_000)) ?? defaultCount
      await session.withQueue(async (queue) => {
        const found = await learnedGates(queue, limit, most + 1)
        const shown = found.slice(0, most)
        if (session.isJson) session.printJson(shown.map(({ gate, limit, key, learned }) => documentOf({ gate, limit, key, learned })))
        else if (shown.length > 0) session.print(...learnedTable(session, shown, await queue.now()))
        else session.note(`no gate of ${limit ?? "any limit"} has learned anything in ${session.place}`)
        if (found.length > most) session.note("more gates have learned something: repeat with a higher --limit")
      })
    })
}

async function learnedGates(queue: Queue, limit: string | undefined, most: number): Promise<GateView[]> {
  const names = limit === undefined ? (await queue.limits.list()).map(({ name }) => name) : [limit]
  const found: GateView[] = []
  for (const name of names) {
    let cursor: string | null = null
    do {
      const page: GatesPage = await queue.limits.gates(name, { limit: 1_000, ...(cursor === null ? {} : { cursor }) })
      found.push(...page.gates.filter(({ learned }) => learned !== null && learned.version > 0))
      cursor = page.cursor
    } while (cursor !== null && found.length < most)
    if (found.length >= most) return found.slice(0, most)
  }
  return found
}

function learnedTable(session: Session, gates: readonly GateView[], now: Date): string[] {
  const rows = gates.flatMap(({ gate, learned, policy }) => {
    if (learned === null) return []
    const { preset, everyMs, delayFloorMs, errorStreak, successStreak, slots, lastSuccess } = learned
    return [
      [
        plain(gate),
        preset ?? "",
        everyMs === null ? "" : everyText(everyMs),
        delayFloorMs === 0 ? "" : everyText(delayFloorMs),
        String(errorStreak),
        String(successStreak),
        slots === null ? "" : `${slots}/${policy.concurrency}`,
        lastSuccess === null ? "" : relative(lastSuccess.getTime(), now.getTime()),
      ],
    ]
  })
  return headed(session, ["GATE", "LEARNS", "EVERY", "FLOOR", "REFUSED", "ANSWERED", "SLOTS", "LAST ANSWER"], rows, [2, 3, 4, 5])
}
