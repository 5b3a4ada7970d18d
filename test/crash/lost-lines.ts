// Crash points on the way to a server: for each call of the script the line breaks once, at one moment. The process asks again, and all comes
// out as if nothing had happened.

import { deepEqual, equal } from "node:assert/strict"
import { isSluiceError } from "../../src/errors/index.ts"
import type { Backing } from "../../src/testing/conformance/index.ts"
import type { Breach, BreakingLine } from "./breaking-line.ts"
import { judge } from "./judge.ts"
import { type Call, ReplyLost, shown, type Watch } from "./process.ts"
import { recover } from "./recovery.ts"
import { play } from "./script.ts"
import { sameSnapshot, takeSnapshot, withoutRepeats } from "./snapshot.ts"
import { otherName, Stage, victimName } from "./stage.ts"

export interface Breaking {
  readonly line: BreakingLine
  readonly breach: Breach
}

export interface Played {
  /** Opens a namespace at this URL, among those of `own`. */
  readonly openAt: (url: string, own: string) => Backing["open"]
  readonly url: string
  /** What keeps this play apart from others on the same server. */
  readonly own: string
  readonly breaking?: Breaking
}

export type Outcome = Awaited<ReturnType<typeof played>>

/** The whole script, worked off and judged. */
export async function played({ openAt, url, own, breaking }: Played) {
  const stage = await Stage.open(async () => ({ open: openAt(url, own), close: async () => {} }))
  try {
    const observer = await stage.connect()
    const store = await openAt(breaking?.line.url ?? url, own)({ world: stage.world })
    const victim = stage.startOn(store, victimName, breaking ? losing(stage, breaking) : {})
    const other = await stage.start(otherName)
    await play({ stage, victim, other })
    stage.killed(victimName)
    await recover(stage, other, observer)
    await judge(stage.events, observer, own)
    return { calls: victim.calls, end: await takeSnapshot(observer) }
  } finally {
    await stage.close()
  }
}

/** It broke at each call, and nothing else is different. */
export function isAsIfNothingHappened(lossy: Outcome, expected: Outcome, line: BreakingLine): void {
  equal(line.broken, lossy.calls.length, "expected the line to break once for each call")
  deepEqual(lossy.calls.map(shown), expected.calls.map(shown))
  sameSnapshot(withoutRepeats(lossy.end), withoutRepeats(expected.end), "in the end")
}

function losing(stage: Stage, { line, breach }: Breaking): Watch {
  let lost: Call | null = null
  return {
    async carry(call, carryOut) {
      if (lost === call) return carryOut()
      lost = call
      line.breakNext = breach
      // A fault is told by its own name, and not as an answer of the server.
      const answer = await carryOut().catch((error: unknown) => {
        if (isSluiceError(error) && error.code === "store_unavailable") return null
        throw error
      })
      equal(answer, null, `${shown(call)}: expected no answer from a line that broke`)
      stage.write({ op: "fault", fault: "lost_reply", victim: victimName, untilMs: stage.world.wallMs() })
      throw new ReplyLost(shown(call))
    },
  }
}
