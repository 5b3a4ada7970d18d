// sluice cancel, retry and archive: several ids at once, and one that cannot be moved does not keep the others from it.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import type { TaskDocument } from "../../../src/index.ts"
import { CommandLine } from "./command-line.ts"

describe("sluice cancel, retry and archive", () => {
  it("take one id or several, and say what became of each", async () => {
    const line = new CommandLine()
    const [a, b] = [await line.submit("-t", "x"), await line.submit("-t", "x")]
    assert.equal((await line.sluice("cancel", a, b)).stdout, `${a} cancelled\n${b} cancelled\n`)
    assert.equal((await line.sluice("retry", a)).stdout, `${a} pending again\n`)
    assert.equal((await line.sluice("archive", b)).stdout, `${b} archived\n`)
    const queue = await line.queue()
    assert.deepEqual([(await queue.get(a))?.status, (await queue.get(b))?.status], ["pending", "archived"])
  })

  it("go on after one that cannot be moved; the first failure gives the exit code", async () => {
    const line = new CommandLine()
    const [a, b] = [await line.submit("-t", "x"), await line.submit("-t", "x")]
    const said = await line.sluice("archive", a, "unknown", b)
    assert.equal(said.exitCode, 5)
    assert.deepEqual(said.stderr.trimEnd().split("\n").length, 3)
    assert.match(
      said.stderr,
      new RegExp(`^sluice: task ${a}: cannot move from "pending" to "archived"; only a finished task can be archived\n`),
    )
    const cancelled = await line.sluice("cancel", "unknown", a)
    assert.deepEqual([cancelled.exitCode, cancelled.stdout], [6, `${a} cancelled\n`])
  })

  it("a running task is asked to stop", async () => {
    const line = new CommandLine()
    await line.declare("x")
    const id = await line.submit("-t", "x")
    const { store } = await line.queue()
    const claim = { number: 1, types: [{ type: "x", room: 1 }], max: 1 }
    await store.exchange({ workerId: "w", settles: [], heartbeats: [], leaseMs: 30_000, claim })
    assert.equal((await line.sluice("cancel", id)).stdout, `${id} is running: asked to stop\n`)
    const status = await line.sluice("status", id)
    for (const text of [
      "status: running",
      "worker_id: w",
      "lease_expires_at: 2026-01-28T12:00:30Z (in 30s)",
      "cancel_requested_at: 2026-01-28T12:00:00Z (now)",
    ]) {
      assert.ok(status.lines.includes(text), `${text} in ${status.stdout}`)
    }
  })

  it("an expired task cannot be retried", async () => {
    const line = new CommandLine()
    const id = await line.submit("-t", "x", "--ttl", "0")
    const said = await line.sluice("retry", id)
    assert.equal(said.exitCode, 5)
    assert.match(said.stderr, /cannot move from "expired" to "pending"/)
  })

  it("with --json print the task of one id, and one document for several", async () => {
    const line = new CommandLine()
    const [a, b] = [await line.submit("-t", "x"), await line.submit("-t", "x")]
    assert.equal(((await line.sluice("cancel", a, "--json")).json() as TaskDocument).status, "cancelled")
    const said = await line.sluice("cancel", "unknown", b, "--json")
    const { tasks, errors } = said.json() as { tasks: TaskDocument[]; errors: { id: string; code: string }[] }
    assert.deepEqual(
      tasks.map((task) => [task.id, task.status]),
      [[b, "cancelled"]],
    )
    assert.deepEqual(
      errors.map((error) => [error.id, error.code]),
      [["unknown", "not_found"]],
    )
    assert.equal(said.exitCode, 6)
  })
})
