// Calls outside the queue, in the script: two processes at one gate, where everything that a hold can say is said once.

import { deepEqual } from "node:assert/strict"
import type { HoldRequest, ShareTold } from "../../src/store/index.ts"
import { answer } from "../../src/testing/conformance/answers.ts"
import { released, shareSaid } from "../../src/testing/conformance/test-caller.ts"
import type { Cast } from "./script.ts"

const leaseMs = 6_000

const asked = (id: string, waitMs = 60_000) => ({ id, limit: "phone", key: "", cost: 1, isFurther: false, waitMs })

/** Numbered by hand: a call that is asked again has the number that it had. */
function says(number: number, ownerId: string, request: Partial<HoldRequest>): HoldRequest {
  return { ownerId, number, leaseMs, release: [], renew: [], adopt: [], acquire: [], sinceMs: 0, shares: [], ...request }
}

export async function calling({ stage, victim, other }: Cast): Promise<void> {
  const say = (number: number, note: string, request: Partial<HoldRequest>) => victim.call("hold", note, says(number, victim.name, request))
  const also = (number: number, note: string, request: Partial<HoldRequest>) => other.call("hold", note, says(number, other.name, request))
  const first = await say(1, "two that pass, one that waits, one that does not want to", {
    acquire: [asked("a-1"), asked("a-2"), asked("a-3"), asked("a-4", 0)],
    shares: [shareSaid("phone", { fallbackMs: 20_000 })],
  })
  deepEqual(
    first.acquired.map(({ kind }) => kind),
    ["granted", "granted", "waiting", "refused"],
  )
  await also(1, "one more in line", { acquire: [asked("b-1")], shares: [shareSaid("phone", { fallbackMs: 20_000 })] })
  const { from, to } = first.shares[0] as ShareTold
  await say(2, "renews, and says what it has", { renew: [{ id: "a-1" }, { id: "a-3" }], shares: [shareSaid("phone", { from, to })] })
  await stage.world.advance(500)
  const freed = await say(3, "releases one, which goes to the next", { release: [released("a-1")] })
  deepEqual(
    freed.granted.map(({ id }) => id),
    ["a-2", "a-3"],
  )
  await say(4, "releases one that was refused by the other side, and gives up its share", {
    release: [released("a-2", { sentAgoMs: 300, heard: [answer("refused", { retryAfterMs: 1_000, sentAgoMs: 300 })] })],
    shares: [shareSaid("phone", { isLeaving: true })],
  })
  await stage.world.advance(1_000)
  const come = await also(2, "comes when the gate opens", {})
  deepEqual(
    come.granted.map(({ id }) => id),
    ["b-1"],
  )
  await say(5, "adopts what runs already, and asks for one more", { adopt: [asked("a-5")], acquire: [asked("a-6")] })
  await say(6, "gives up the one that waits", { release: [released("a-6")] })
  await also(3, "leaves", { release: [released("b-1")], shares: [shareSaid("phone", { isLeaving: true })] })
}
