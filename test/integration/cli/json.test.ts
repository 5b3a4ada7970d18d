// --json: one document on one line, in the names of the wire.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { VirtualWorld } from "../../../src/testing/virtual-world.ts"
import { CommandLine } from "./command-line.ts"

describe("--json", () => {
  it("of submit, get and status is the task's document", async () => {
    const line = new CommandLine()
    const submitted = await line.sluice("submit", "-t", "x", "-i", '{"b": 1, "a": "é\\n"}', "--json")
    const { id } = submitted.json() as { id: string }
    const document = (await (await line.queue()).get(id))?.toJSON()
    for (const said of [submitted, await line.sluice("get", id, "--json"), await line.sluice("status", id, "--json")]) {
      assert.deepEqual(said.json(), document)
      assert.equal(said.lines.length, 1)
    }
  })

  it("of history is an array with what each version knows", async () => {
    const world = new VirtualWorld()
    const line = new CommandLine({ world })
    const id = await line.submit("-t", "x", "--ttl", "1h", "--delay", "90s")
    await world.advance(60_000)
    await line.sluice("cancel", id)
    assert.deepEqual((await line.sluice("history", id, "--json")).json(), [
      {
        version: 1,
        at: "2026-01-28T12:00:00Z",
        status: "pending",
        event: "created",
        delay_seconds: 90,
        expires_at: "2026-01-28T13:00:00Z",
      },
      { version: 2, at: "2026-01-28T12:01:00Z", status: "cancelled", event: "cancelled" },
    ])
  })

  it("of now, sweep and completion", async () => {
    const line = new CommandLine()
    assert.equal((await line.sluice("now", "--json")).stdout, '{"now": "2026-01-28T12:00:00Z"}\n')
    assert.equal((await line.sluice("now")).stdout, "2026-01-28T12:00:00Z\n")
    assert.equal((await line.sluice("sweep", "--json")).stdout, '{"rescued": 0, "expired": 0, "stopped": 0, "removed": 0}\n')
    assert.equal(((await line.sluice("completion", "fish", "--json")).json() as { shell: string }).shell, "fish")
  })

  it("of an empty list is an empty page, with nothing on stderr", async () => {
    const said = await new CommandLine().sluice("list", "--json")
    assert.deepEqual([said.stdout, said.stderr], ['{"tasks": [], "cursor": null}\n', ""])
  })
})

describe("sluice sweep", () => {
  it("removes finished tasks only where a retention is given", async () => {
    const world = new VirtualWorld()
    const line = new CommandLine({ world })
    await line.sluice("cancel", await line.submit("-t", "x"))
    await world.advance(90 * 86_400_000)
    assert.equal((await line.sluice("sweep")).stdout, "rescued 0, expired 0, stopped 0, removed 0\n")
    assert.equal((await line.sluice("sweep", "--retention", "never")).stdout, "rescued 0, expired 0, stopped 0, removed 0\n")
    assert.equal((await line.sluice("sweep", "--retention", "30d")).stdout, "rescued 0, expired 0, stopped 0, removed 1\n")
  })
})
