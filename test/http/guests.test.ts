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
