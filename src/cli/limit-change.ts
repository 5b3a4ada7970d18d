// What the commands that change a limit have in common: a target, who did it, and one line that says what holds now.

import type { Command } from "commander"
import { documentOf } from "../queue/document.ts"
import type { GateView, LimitTarget, LimitView, Queue } from "../queue/index.ts"
import { pathOf } from "./define.ts"
import type { Io } from "./io.ts"
import { limitAndGate } from "./limit-and-gate.ts"
import { holdsText } from "./limit-text.ts"
import { plain } from "./plain.ts"
import type { Session } from "./session.ts"
import { parseTarget } from "./target.ts"

export const targetHelp = "The target is limit, or limit/key for one gate."

export async function changeLimit(
  session: Session,
  command: Command,
  text: string,
  apply: (queue: Queue, limit: string, options: LimitTarget) => Promise<unknown>,
  say: (limit: LimitView, gate: GateView, now: Date) => string = holdsText,
): Promise<void> {
  const target = parseTarget(pathOf(command), text)
  await session.withQueue(async (queue) => {
    await apply(queue, target.limit, { ...(target.key === "" ? {} : { key: target.key }), by: whoAsks(session.io) })
    const { limit, gate } = await limitAndGate(queue, target)
    if (session.isJson) session.printJson(documentOf({ ...limit, gate }))
    else session.print(`${plain(gate.gate)}: ${say(limit, gate, await queue.now())}`)
  })
}

/** For the change log: "cli (jane)". */
export function whoAsks({ env }: Io): string {
  const user = env.USER || env.LOGNAME || env.USERNAME
  return user ? `cli (${user})` : "cli"
}
