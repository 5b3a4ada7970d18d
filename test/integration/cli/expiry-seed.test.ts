// Every command line of the second seed (task expiration), and what the seed shows for it.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { VirtualWorld } from "../../../src/testing/virtual-world.ts"
import { CommandLine } from "./command-line.ts"

/** Half past two on the day of the seed. */
const afternoon = () => new VirtualWorld({ startMs: Date.UTC(2026, 0, 28, 14, 30) })

describe("the command lines of the expiry seed", () => {
  it("submit --expires-at, then status, which says when that is", async () => {
    const line = new CommandLine({ world: afternoon() })
    const id = await line.submit("-t", "send_reminder", "-i", "{}", "--expires-at", "2026-01-28T17:00:00Z")
    const { lines, exitCode } = await line.sluice("status", id)
    assert.equal(exitCode, 0)
    assert.ok(lines.includes("expires_at: 2026-01-28T17:00:00Z (in 2h 30m)"))
    assert.ok(lines.includes("status: pending"))
  })

  for (const [type, ttl, shown] of [
    ["process_event", "1h", "2026-01-28T15:30:00Z (in 1h)"],
    ["quick_task", "5m", "2026-01-28T14:35:00Z (in 5m)"],
    ["batch_job", "7d", "2026-02-04T14:30:00Z (in 7d)"],
  ] as const) {
    it(`submit -t ${type} --ttl ${ttl}`, async () => {
      const line = new CommandLine({ world: afternoon() })
      const id = await line.submit("-t", type, "-i", "{}", "--ttl", ttl)
      assert.ok((await line.sluice("status", id)).lines.includes(`expires_at: ${shown}`))
    })
  }

  it("list --status expired lists what expired, and nothing else", async () => {
    const world = afternoon()
    const line = new CommandLine({ world })
    const id = await line.submit("-t", "quick_task", "-i", "{}", "--ttl", "5m")
    await line.submit("-t", "quick_task", "-i", "{}", "--ttl", "1h")
    assert.match((await line.sluice("list", "--status", "expired")).stderr, /^no tasks that match in namespace "default" of memory:/)
    await world.advance(8 * 60_000)
    assert.equal((await line.sluice("sweep")).stdout, "rescued 0, expired 1, stopped 0, removed 0\n")
    await world.advance(60_000)
    const { stdout, stderr, exitCode } = await line.sluice("list", "--status", "expired")
    assert.equal(exitCode, 0)
    assert.equal(
      stdout,
      `ID                                    TYPE        STATUS   ATTEMPT  WHEN    LAST ERROR
${id}  quick_task  expired        0  1m ago
`,
    )
    assert.equal(stderr, "")
  })

  it("history shows the versions of the seed, word for word", async () => {
    const world = afternoon()
    const line = new CommandLine({ world })
    const id = await line.submit("-t", "send_reminder", "-i", "{}", "--expires-at", "2026-01-28T17:00:00Z")
    await world.advance(2.5 * 3_600_000 + 5_000)
    await line.sluice("sweep")
    assert.equal(
      (await line.sluice("history", id)).stdout,
      `Version 1: pending (created, expires_at: 2026-01-28T17:00:00Z)
Version 2: expired (expired_at: 2026-01-28T17:00:05Z)
`,
    )
  })

  it("status of an expired task says how long ago", async () => {
    const world = afternoon()
    const line = new CommandLine({ world })
    const id = await line.submit("-t", "quick_task", "-i", "{}", "--ttl", "5m")
    await world.advance(8 * 60_000)
    assert.ok((await line.sluice("status", id)).lines.includes("expires_at: 2026-01-28T14:35:00Z (3m ago)"))
  })

  it("status goes by the store's clock, not by that of the machine", async () => {
    const world = afternoon()
    const line = new CommandLine({ world })
    const id = await line.submit("-t", "send_reminder", "-i", "{}", "--expires-at", "2026-01-28T17:00:00Z")
    // The store has seen half past two and does not go back with the machine.
    world.stepClock(-3_600_000)
    assert.ok((await line.sluice("status", id)).stdout.includes("expires_at: 2026-01-28T17:00:00Z (in 2h 30m)"))
  })

  it("a ttl of 0, with a unit or without, is submitted already expired", async () => {
    for (const zero of [
      ["--ttl", "0"],
      ["--ttl", "0s"],
      ["--ttl-seconds", "0"],
    ]) {
      const line = new CommandLine({ world: afternoon() })
      const id = await line.submit("-t", "quick_task", "-i", "{}", ...zero)
      assert.ok((await line.sluice("status", id)).lines.includes("expired_at: 2026-01-28T14:30:00Z (now)"))
    }
  })

  it("a schedule and an expiry go together", async () => {
    const line = new CommandLine({ world: afternoon() })
    const id = await line.submit("-t", "meeting_reminder", "--schedule-at", "2026-01-28T17:00:00Z", "--expires-at", "2026-01-28T18:00:00Z")
    const { lines } = await line.sluice("status", id)
    assert.ok(lines.includes("available_at: 2026-01-28T17:00:00Z (in 2h 30m)"))
    assert.ok(lines.includes("expires_at: 2026-01-28T18:00:00Z (in 3h 30m)"))
  })
})
