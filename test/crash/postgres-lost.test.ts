// Crash points of Postgres: for each call of the script the line breaks once, at one of three moments of its transaction. The process asks
// again, and all comes out as if nothing had happened.

import { deepEqual, equal } from "node:assert/strict"
import { after, describe, it } from "node:test"
import { isSluiceError } from "../../src/errors/index.ts"
import { open } from "../../src/stores/postgres/index.ts"
import type { Backing } from "../../src/testing/conformance/index.ts"
import { postgresPlace } from "../engines/postgres-place.ts"
import { judge } from "./judge.ts"
import { type Moment, type PostgresProxy, postgresProxy } from "./postgres-proxy.ts"
import { type Call, ReplyLost, shown, type Watch } from "./process.ts"
import { recover } from "./recovery.ts"
import { play } from "./script.ts"
import { sameSnapshot, takeSnapshot, withoutRepeats } from "./snapshot.ts"
import { otherName, Stage, victimName } from "./stage.ts"

const moments: Readonly<Record<Moment, string>> = {
  begun: "once its transaction has begun",
  uncommitted: "before the server is told to commit",
  unanswered: "once the server has committed",
}

describe("crash points of Postgres on the way", () => {
  const place = postgresPlace()
  const quiet = place.then(({ url }) => played(url, "quiet", null))
  after(async () => (await place).clear())

  for (const moment of Object.keys(moments) as Moment[]) {
    it(`postgres: the line breaks at every call, ${moments[moment]}`, async (test) => {
      const { url } = await place
      const proxy = await postgresProxy(url)
      test.after(() => proxy.close())
      const expected = await quiet
      const lossy = await played(url, moment, { proxy, moment })
      equal(proxy.broken, lossy.calls.length, "expected the line to break once for each call")
      deepEqual(lossy.calls.map(shown), expected.calls.map(shown))
      sameSnapshot(withoutRepeats(lossy.end), withoutRepeats(expected.end), "in the end")
    })
  }
})

interface Breaking {
  readonly proxy: PostgresProxy
  readonly moment: Moment
}

/** The whole script, worked off and judged. */
async function played(url: string, own: string, breaking: Breaking | null) {
  const openAt = (place: string): Backing["open"] => {
    return ({ namespace = "default", world }) => open({ url: place, namespace: `${own}-${namespace}`, world })
  }
  const stage = await Stage.open(async () => ({ open: openAt(url), close: async () => {} }))
  try {
    const observer = await stage.connect()
    const store = await openAt(breaking?.proxy.url ?? url)({ world: stage.world })
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

function losing(stage: Stage, { proxy, moment }: Breaking): Watch {
  let lost: Call | null = null
  return {
    async carry(call, carryOut) {
      if (lost === call) return carryOut()
      lost = call
      proxy.breakNext = moment
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
