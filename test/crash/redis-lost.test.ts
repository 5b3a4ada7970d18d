// Crash points of Redis on the way: for each call of the script the line breaks once, before the server has the step, or after it was
// carried out and before its answer is back. The process asks again, and all comes out as if nothing had happened.

import { deepEqual, equal } from "node:assert/strict"
import { describe, it } from "node:test"
import { isSluiceError } from "../../src/errors/index.ts"
import { open } from "../../src/stores/redis/index.ts"
import type { Backing } from "../../src/testing/conformance/index.ts"
import { startRedis } from "../engines/redis.ts"
import { judge } from "./judge.ts"
import { type Call, ReplyLost, shown, type Watch } from "./process.ts"
import { recover } from "./recovery.ts"
import { type RedisProxy, redisProxy } from "./redis-proxy.ts"
import { play } from "./script.ts"
import { sameSnapshot, takeSnapshot, withoutRepeats } from "./snapshot.ts"
import { otherName, Stage, victimName } from "./stage.ts"

const ways = {
  unsent: "before the server has it",
  unanswered: "before its answer is back",
} as const

describe("crash points of Redis on the way", () => {
  for (const way of Object.keys(ways) as (keyof typeof ways)[]) {
    it(`redis: the line breaks at every call, ${ways[way]}`, async (test) => {
      const server = await startRedis()
      test.after(() => server.remove())
      const proxy = await redisProxy(server.port)
      test.after(() => proxy.close())
      const expected = await played(server.url, "quiet", null)
      const lossy = await played(server.url, "lossy", { proxy, way })
      equal(proxy.broken, lossy.calls.length, "expected the line to break once for each call")
      deepEqual(lossy.calls.map(shown), expected.calls.map(shown))
      sameSnapshot(withoutRepeats(lossy.end), withoutRepeats(expected.end), "in the end")
    })
  }
})

interface Breaking {
  readonly proxy: RedisProxy
  readonly way: keyof typeof ways
}

/** The whole script, worked off and judged. */
async function played(url: string, prefix: string, breaking: Breaking | null) {
  const openAt = (place: string): Backing["open"] => {
    return ({ namespace = "default", world }) => open({ url: `${place}?prefix=${prefix}`, namespace, world })
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
    await judge(stage.events, observer, prefix)
    return { calls: victim.calls, end: await takeSnapshot(observer) }
  } finally {
    await stage.close()
  }
}

function losing(stage: Stage, { proxy, way }: Breaking): Watch {
  let lost: Call | null = null
  return {
    async carry(call, carryOut) {
      if (lost === call) return carryOut()
      lost = call
      proxy.breakNext = way
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
