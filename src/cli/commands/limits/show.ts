// sluice limits show: one limit with its gates, or one gate.

import type { Command } from "commander"
import { documentOf } from "../../../queue/document.ts"
import type { GateView, Queue } from "../../../queue/index.ts"
import { wholeNumber } from "../../../units/index.ts"
import { define } from "../../define.ts"
import { fieldLines } from "../../fields.ts"
import { asNumber, type Given, readFlag } from "../../flags.ts"
import { gateFields } from "../../gate-text.ts"
import { gatesTable } from "../../gates-table.ts"
import { type LimitAndGate, limitAndGate } from "../../limit-and-gate.ts"
import { targetHelp } from "../../limit-change.ts"
import { limitFields, settingText } from "../../limit-text.ts"
import type { Session } from "../../session.ts"
import { parseTarget } from "../../target.ts"

const defaultCount = 50

interface Page {
  readonly limit: number
  readonly cursor?: string
}

export function addShow(limits: Command, session: Session): void {
  define(limits, {
    usage: "show <target>",
    summary: "Show a limit with its gates, or one gate",
    details: `${targetHelp} Of a limit it shows what the code says, what was set by hand, what holds, and its gates; of a gate how full it is and when it opens.`,
    examples: ["sluice limits show vendor-api", "sluice limits show vendor-api/host-1", "sluice limits show vendor-api --json | jq .gates"],
  })
    .option("--limit <n>", `At most so many gates (default: ${defaultCount})`)
    .option("--cursor <cursor>", "Goes on with the gates where the page before ended")
    .action(async (text: string, given: Given) => {
      const target = parseTarget("limits show", text)
      const limit = readFlag(given, "limit", asNumber, wholeNumber(1, 1_000)) ?? defaultCount
      const page = { limit, ...(given.cursor === undefined ? {} : { cursor: given.cursor as string }) }
      await session.withQueue(async (queue) => {
        const found = await limitAndGate(queue, target)
        if (target.key === "") await showLimit(session, queue, found, page)
        else showGate(session, found, await queue.now())
      })
    })
}

async function showLimit(session: Session, queue: Queue, { limit, gate }: LimitAndGate, page: Page): Promise<void> {
  const { gates, cursor } = await queue.limits.gates(limit.name, page)
  const now = await queue.now()
  if (session.isJson) {
    session.printJson(documentOf({ ...limit, policy: gate.policy, gates, cursor }))
    return
  }
  session.print(...fieldLines(limitFields(limit, gate, now)))
  const nameOf = ({ key }: GateView) => (key === "" ? "(no key)" : key)
  if (gates.length > 0) session.print("", ...gatesTable(session, gates, { heading: "KEY", nameOf, now }))
  if (cursor !== null) session.note(`more gates: repeat with --cursor ${cursor}`)
}

function showGate(session: Session, { limit, gate }: LimitAndGate, now: Date): void {
  const setting = limit.settings[gate.key]
  if (session.isJson) session.printJson(documentOf({ ...gate, setting: setting ?? null }))
  else session.print(...fieldLines(gateFields(gate, settingText(setting, now), now)))
}
