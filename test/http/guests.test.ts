// Workers in other languages: several threads of one program claim by one name, and leave it to the server to count their claims.

import assert from "node:assert/strict"
import { it } from "node:test"
import { defineTask } from "../../src/queue/index.ts"
import { VirtualWorld } from "../../src/testing/virtual-world.ts"
import { stage } from "./kit.ts"

const mail = defineTask("mail", { run: (input: string) => input })

/** Where two who draw at once draw the same. */
class EvenWorld extends VirtualWorld {
  override random(): number {
    return 0.5
  }
}

interface Claimed {
  readonly claimed: readonly { readonly id: string; readonly fence: number }[]
  readonly settled: readonly unknown[]
}

it("two that claim in one millisecond by one name are told different tasks", async () => {
  const { queue, ask, close } = await stage({ dashboard: false }, { world: new EvenWorld() })
  try {
    for (const input of ["one", "two"]) await queue.submit(mail, input)
    const body = { worker_id: "pool", claim: { task_types: ["mail"], max: 1 } }
    const ids: string[] = []
    for (let claim = 0; claim < 2; claim++) {
      const { claimed } = (await ask("/api/v1/exchange", { body })).json<{ claimed: { id: string }[] }>()
      ids.push(...claimed.map(({ id }) => id))
    }
    assert.equal(new Set(ids).size, 2, `expected two tasks, got ${ids.join(" and ")}`)
  } finally {
    await close()
  }
})

it("two that claim in one millisecond by one name, each of a server of its own, are told different tasks", async () => {
  const world = new EvenWorld()
  const [one, other] = [
    await stage({ dashboard: false }, { world }, "memory:two-servers"),
    await stage({ dashboard: false }, { world }, "memory:two-servers"),
  ]
  try {
    const tasks = await one.queue.submitMany(mail, ["one", "two", "three", "four"])
    const body = { worker_id: "pool", claim: { task_types: ["mail"], max: 1 } }
    const claim = async ({ ask }: typeof one, settles: readonly unknown[] = []) => {
      const answer = (await ask("/api/v1/exchange", { body: { ...body, settles } })).json<Claimed>()
      return { ...answer, ids: answer.claimed.map(({ id }) => id) }
    }
    const first = await claim(one)
    assert.deepEqual(first.ids, [tasks[0]?.id])
    const [held] = first.claimed
    assert.deepEqual((await claim(other)).ids, [tasks[1]?.id])
    const third = await claim(one, [{ id: held?.id, fence: held?.fence, outcome: { kind: "completed" } }])
    assert.deepEqual([third.ids, third.settled], [[tasks[2]?.id], [{ kind: "ok", status: "completed" }]])
    // One that brings its number is answered the same whichever server it asks.
    const numbered = { ...body, claim: { ...body.claim, number: Number.MAX_SAFE_INTEGER } }
    for (const { ask } of [one, other]) {
      const { claimed } = (await ask("/api/v1/exchange", { body: numbered })).json<Claimed>()
      assert.deepEqual(
        claimed.map(({ id }) => id),
        [tasks[3]?.id],
      )
    }
  } finally {
    for (const { close } of [one, other]) await close()
  }
})
