// When tasks start, and why they have not: explain, forecast, and what submit, status and list say of it.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { stripVTControlCharacters } from "node:util"
import type { TaskDocument } from "../../../src/index.ts"
import { CommandLine } from "./command-line.ts"
import { callApi, limitedLine } from "./limited-line.ts"

describe("sluice explain", () => {
  it("says in words what holds a task, and with --json all of it", async () => {
    const { line, queue, tasks } = await limitedLine()
    const id = tasks.at(-1)?.id ?? ""
    const { text, heldBy, tasksAhead } = await queue.explain(id)
    assert.equal((await line.sluice("explain", id)).stdout, `${text}\n`)
    assert.match(text, /Gate vendor-api\/host-1 holds it: 10 of 10 in 10s/)
    const document = (await line.sluice("explain", id, "--json")).json() as Record<string, unknown>
    assert.deepEqual([document.text, document.held_by, document.tasks_ahead], [text, heldBy, tasksAhead])
    assert.equal(document.now, "2026-01-28T12:00:03Z")
    assert.equal((document.task as TaskDocument).task_type, "call_api")
    assert.equal((document.forecast as { at: string }).at, "2026-01-28T12:00:10Z")
    assert.equal((document.gates as { opens_for_task_at: string }[])[0]?.opens_for_task_at, "2026-01-28T12:00:10Z")
  })

  it("of a task that has ended says so", async () => {
    const { line, tasks } = await limitedLine()
    assert.match((await line.sluice("explain", tasks[0]?.id ?? "")).stdout, /is completed/)
  })
})

describe("when a task starts", () => {
  it("is in its status and in the list, where a gate holds it", async () => {
    const { line, tasks } = await limitedLine()
    const held = tasks.at(-1)?.id ?? ""
    assert.ok(
      (await line.sluice("status", held)).lines.includes(
        "estimated_start_at: 2026-01-28T12:00:10Z (in about 7s, held by vendor-api/host-1)",
      ),
    )
    assert.doesNotMatch((await line.sluice("status", tasks[0]?.id ?? "")).stdout, /estimated/)
    const { lines } = await line.sluice("list", "--status", "pending")
    assert.equal(lines.filter((text) => / in about 7s$/.test(text)).length, 4)
  })

  it("of one that is scheduled is when it is due", async () => {
    const { line } = await limitedLine()
    await line.submit("-t", "call_api", "--gate", "vendor-api/host-2", "--delay", "1h")
    assert.match((await line.sluice("list", "--limit", "1")).lines[1] ?? "", / in 1h$/)
  })

  it("is not known while the gate is paused or the task unrouted", async () => {
    const { line, tasks } = await limitedLine()
    const held = tasks.at(-1)?.id ?? ""
    await line.sluice("limits", "pause", "vendor-api")
    assert.ok(
      (await line.sluice("status", held)).lines.some((text) => /^estimated_start_at: not before vendor-api\S* is resumed$/.test(text)),
    )
    assert.match((await line.sluice("list", "--status", "pending")).stdout, / paused$/m)
    const unrouted = await line.submit("-t", "nobody_knows_it")
    assert.match((await line.sluice("status", unrouted)).stdout, /^estimated_start_at: not before a worker that has its code/m)
  })

  it("is in the document of a submission", async () => {
    const { line } = await limitedLine()
    const said = await line.sluice("submit", "-t", "call_api", "--gate", "vendor-api/host-1", "--json")
    const document = said.json() as TaskDocument
    assert.deepEqual([document.gates, document.estimated_start_at], [["vendor-api/host-1"], "2026-01-28T12:00:10Z"])
  })
})

describe("sluice submit --gate", () => {
  it("gives the gates by hand, with their costs", async () => {
    const { line, queue } = await limitedLine()
    const id = await line.submit("-t", "call_api", "--gate", "vendor-api/host-9=3", "--gate", "vendor-api")
    const { tasks } = await queue.store.get({ ids: [id] })
    assert.deepEqual(tasks[0]?.gates, [
      { limit: "vendor-api", key: "host-9", cost: 3 },
      { limit: "vendor-api", key: "", cost: 1 },
    ])
  })

  it("refuses a cost that never passes", async () => {
    const { line } = await limitedLine()
    const said = await line.sluice("submit", "-t", "call_api", "--gate", "vendor-api/host-9=11")
    assert.deepEqual([said.exitCode, said.stdout], [3, ""])
    assert.match(said.stderr, /^sluice: submit call_api: expected a cost of at most 10, .* got 11; lower the cost or raise the limit\n$/)
  })

  it("prints the id first, and warns on stderr of a task that will expire before it starts", async () => {
    const { line } = await limitedLine()
    const said = await line.sluice("submit", "-t", "call_api", "--gate", "vendor-api/host-1", "--ttl", "2s")
    assert.equal(said.exitCode, 0)
    assert.match(said.stdout, /^[0-9a-f-]{36}\n$/)
    assert.match(said.stderr, /^warning: expected to start at 2026-01-28T12:00:10Z \(held by vendor-api\/host-1\), not before it expires/)
    const json = await line.sluice("submit", "-t", "call_api", "--gate", "vendor-api/host-1", "--ttl", "2s", "--json")
    assert.equal(json.lines.length, 1)
    assert.match(json.stderr, /^warning: /)
  })
})

describe("sluice forecast", () => {
  it("shows the gates where tasks wait, and how far forecasts were off", async () => {
    const { line } = await limitedLine()
    assert.deepEqual((await line.sluice("forecast")).lines, [
      "GATE               WAITING  OPENS  SLOTS  STATE  LEVEL",
      "vendor-api/host-1        4  in 7s  0/5           10/10 in 10s",
      "",
      "TYPE      STARTED  OFF BY (P50)  OFF BY (P99)",
      "call_api       11         < 1ms         < 1ms",
    ])
    const document = (await line.sluice("forecast", "--json")).json() as { limits: { gates: { gate: string }[] }[]; errors: unknown[] }
    assert.deepEqual(
      document.limits.map(({ gates, ...limit }) => ({ ...limit, gates: gates.map(({ gate }) => gate) })),
      [{ name: "vendor-api", waiting_tasks: 4, gates: ["vendor-api/host-1"], has_more: false }],
    )
    assert.deepEqual(document.errors, [{ task_type: "call_api", count: 11, p50_below_ms: 1, p99_below_ms: 1 }])
  })

  it("says where there are more gates than were asked for", async () => {
    const { line, queue } = await limitedLine()
    await queue.submitMany(callApi, [{ host: "host-3" }, { host: "host-4" }])
    const said = await line.sluice("forecast", "--limit", "1")
    assert.equal(said.lines[1]?.startsWith("vendor-api/host-1 "), true)
    assert.match(said.stderr, /^more gates of vendor-api have waiting tasks: repeat with a higher --limit/)
  })

  it("finds them among gates where nobody waits", async () => {
    const { line, queue } = await limitedLine()
    const hosts = Array.from({ length: 1_000 }, (_, i) => ({ host: `busy-${i}` }))
    await queue.submitMany(callApi, hosts, { priority: 1 })
    const types = [{ type: "call_api", room: 100 }]
    for (let number = 1; number <= 10; number++)
      await queue.store.exchange({ workerId: "w", settles: [], heartbeats: [], leaseMs: 30_000, claim: { number, types, max: 100 } })
    const { lines } = await line.sluice("forecast")
    assert.match(lines[1] ?? "", /^vendor-api\/host-1 +4 /)
  })

  it("of nothing says so", async () => {
    assert.equal((await new CommandLine().sluice("forecast")).stdout, "no task waits at a gate\n")
    assert.equal((await new CommandLine().sluice("forecast", "--json")).stdout, '{"limits": [], "errors": []}\n')
  })
})

describe("the tables of limits", () => {
  it("keep to a terminal of 80 columns", async () => {
    const { line } = await limitedLine({ columns: 80 })
    await line.sluice("limits", "set", "vendor-api/host-1", "--rate", "3/s", "--rate", "100/1m", "--rate", "5000/1d")
    await line.sluice("limits", "close", "vendor-api", "--until", "90m")
    for (const argv of [["limits", "ls"], ["limits", "show", "vendor-api"], ["forecast"]]) {
      const lines = stripVTControlCharacters((await line.sluice(...argv)).stdout).split("\n")
      const rows = lines.filter((text) => !text.includes(": "))
      assert.ok(Math.max(...rows.map((text) => text.length)) <= 80, rows.join("\n"))
    }
  })
})
