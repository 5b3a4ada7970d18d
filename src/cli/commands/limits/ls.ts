// sluice limits ls: every limit, with what holds for it.

import type { Command } from "commander"
import { documentOf } from "../../../queue/document.ts"
import type { GateView, LimitView } from "../../../queue/index.ts"
import { counted } from "../../counted.ts"
import { define } from "../../define.ts"
import { stateWords } from "../../gate-text.ts"
import { headed } from "../../headed.ts"
import { type LimitAndGate, limitAndGate } from "../../limit-and-gate.ts"
import { doesDisagree, keysSet, policyInShort } from "../../limit-text.ts"
import type { Session } from "../../session.ts"

export function addLs(limits: Command, session: Session): void {
  define(limits, {
    usage: "ls",
    summary: "List limits",
    details: "POLICY is what holds for a limit as a whole; GATES are its keys with live state, WAITING the tasks that wait at them.",
    examples: ["sluice limits ls", "sluice limits ls --json | jq -r '.[].name'"],
  }).action(() =>
    session.withQueue(async (queue) => {
      const names = (await queue.limits.list()).map(({ name }) => name)
      const found = await Promise.all(names.map((limit) => limitAndGate(queue, { limit, key: "" })))
      if (session.isJson) session.printJson(documentOf(found.map(({ limit, gate }) => ({ ...limit, policy: gate.policy }))))
      else if (found.length === 0) session.note(`no limits in ${session.place}; a process whose code has defineLimit makes them known`)
      else session.print(...limitsTable(session, found, await queue.now()))
    }),
  )
}

function limitsTable(session: Session, found: readonly LimitAndGate[], now: Date): string[] {
  const rows = found.map(({ limit, gate }) => [
    limit.name,
    policyInShort(gate.policy),
    String(limit.gateCount),
    String(limit.waitingTasks),
    noteOf(limit, gate, now),
  ])
  return headed(session, ["LIMIT", "POLICY", "GATES", "WAITING", "NOTE"], rows, [2, 3])
}

/** What is out of the ordinary; `show` has the details. */
function noteOf(limit: LimitView, gate: GateView, now: Date): string {
  const keys = keysSet(limit, now).length
  return [
    ...stateWords(gate, now),
    ...(doesDisagree(limit) ? ["processes disagree"] : []),
    ...(keys > 0 ? [`${counted(keys, "key")} set by hand`] : []),
  ].join(", ")
}
