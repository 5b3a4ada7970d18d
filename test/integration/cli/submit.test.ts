// sluice submit: every option arrives at the task, wherever it stands and wherever the input comes from.

import assert from "node:assert/strict"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, describe, it } from "node:test"
import type { TaskDocument } from "../../../src/index.ts"
import { CommandLine } from "./command-line.ts"

const folder = mkdtempSync(join(tmpdir(), "sluice-submit-"))
after(() => rmSync(folder, { recursive: true, force: true }))

describe("sluice submit", () => {
  it("says what no live worker handles, and what was meant", async () => {
    const atTerminal = new CommandLine({ columns: 80 })
    const start = 'note: no live worker handles call_api; start one, for example with "sluice work"\n'
    assert.equal((await atTerminal.sluice("submit", "-t", "call_api")).stderr, start)

    const line = new CommandLine()
    assert.equal((await line.sluice("submit", "-t", "call_api")).stderr, "", "scripts submit before they start workers")
    const { store } = await line.queue()
    await store.hello({ workerId: "w", types: ["call_api", "report"].map((type) => ({ type, limits: [] })), limits: [] })
    const said = async (type: string) => (await line.sluice("submit", "-t", type)).stderr
    assert.equal(await said("call_api"), "")
    assert.equal(await said("cal_api"), "note: no live worker handles cal_api; did you mean call_api?\n")
    assert.equal(await said("ship"), "note: no live worker handles ship; they handle call_api, report\n")
  })

  it("takes every option", async () => {
    const line = new CommandLine()
    const said = await line.sluice(
      ...["submit", "--json", "--type", "report", "--input", '{"a": [1, null]}', "--ttl-seconds", "90.5", "--delay", "1m"],
      ...["--max-retries", "7", "--max-reschedules", "8", "--max-throttles", "9", "--timeout", "1h 30m", "--priority", "-5"],
      ...["--idempotency-key", "order 7", "--tag", "a", "--tag", "b", "--flow", "tenant 1", "--max-input-bytes", "1KiB"],
    )
    assert.equal(said.stderr, "")
    assert.deepEqual(pick(said.json() as TaskDocument), {
      task_type: "report",
      status: "pending",
      input: { a: [1, null] },
      available_at: "2026-01-28T12:01:00Z",
      expires_at: "2026-01-28T12:01:30.500Z",
      max_retries: 7,
      max_reschedules: 8,
      max_throttles: 9,
      timeout_seconds: 5_400,
      priority: -5,
      idempotency_key: "order 7",
      tags: ["a", "b"],
    })
    const queue = await line.queue()
    const { tasks } = await queue.store.get({ ids: [(said.json() as TaskDocument).id] })
    assert.equal(tasks[0]?.flow, "tenant 1")
  })

  it("has the library's defaults, and {} for an input", async () => {
    const line = new CommandLine()
    const document = (await line.sluice("submit", "-t", "x", "--json")).json() as TaskDocument
    const inCode = (await (await line.queue()).submit("x", {})).toJSON()
    const { id: _id, ...given } = document
    const { id: _other, ...expected } = inCode
    assert.deepEqual(given, expected)
  })

  it("takes timeouts in seconds, times to start at, and caps that are none", async () => {
    const line = new CommandLine()
    const id = await line.submit(
      ...[
        "-t",
        "x",
        "--timeout-seconds",
        "2.5",
        "--schedule-at",
        "2026-01-28T14:00:00+01:00",
        "--max-reschedules",
        "none",
        "--max-throttles",
        "none",
      ],
    )
    const task = await (await line.queue()).get(id)
    assert.deepEqual(
      [task?.timeoutSeconds, task?.availableAt.toISOString(), task?.maxReschedules, task?.maxThrottles],
      [2.5, "2026-01-28T13:00:00.000Z", null, null],
    )
  })

  it("reads its input from stdin or from a file", async () => {
    writeFileSync(join(folder, "input.json"), '{"from": "file"}\n')
    const line = new CommandLine({ cwd: folder, stdin: '{"from": "stdin"}\n' })
    const fromStdin = await line.submit("-t", "x", "-i", "-")
    const fromFile = await line.submit("-t", "x", "-i", "@input.json")
    const queue = await line.queue()
    assert.deepEqual((await queue.get(fromStdin))?.input, { from: "stdin" })
    assert.deepEqual((await queue.get(fromFile))?.input, { from: "file" })
  })

  it("takes global options before and after its name", async () => {
    const line = new CommandLine()
    for (const argv of [
      ["--json", "--namespace", "other", "submit", "-t", "x"],
      ["submit", "-t", "x", "--namespace", "other", "--json"],
      ["--namespace", "other", "submit", "--json", "-t", "x"],
    ]) {
      const document = (await line.sluice(...argv)).json() as TaskDocument
      assert.equal((await line.sluice("get", document.id)).exitCode, 6)
      assert.equal((await line.sluice("get", document.id, "--namespace", "other")).exitCode, 0)
    }
  })

  it("looks where the environment says, unless an option says otherwise", async () => {
    const line = new CommandLine({ env: { SLUICE_NAMESPACE: "from-env" } })
    const id = await line.submit("-t", "x")
    assert.equal((await line.sluice("get", id, "--namespace", "from-env")).exitCode, 0)
    assert.equal((await line.sluice("get", id, "--namespace", "default")).exitCode, 6)
    assert.equal((await line.sluice("get", id, "--store", "memory:elsewhere")).exitCode, 6)
  })
})

function pick(document: TaskDocument): Partial<TaskDocument> {
  const { task_type, status, input, available_at, expires_at, max_retries, max_reschedules, max_throttles } = document
  const { timeout_seconds, priority, idempotency_key, tags } = document
  const counts = { max_retries, max_reschedules, max_throttles, timeout_seconds, priority }
  return { task_type, status, input, available_at, expires_at, ...counts, idempotency_key, tags }
}
