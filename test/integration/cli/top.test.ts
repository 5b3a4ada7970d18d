// sluice top: once without a terminal, live in one until q is pressed, of a store and of a server.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { topLines } from "../../../src/cli/top/text.ts"
import type { TopView } from "../../../src/cli/top/view.ts"
import { serve } from "../../../src/http/index.ts"
import { connect, defineLimit, defineTask } from "../../../src/queue/index.ts"
import { systemWorld } from "../../../src/world/index.ts"
import { CommandLine } from "./command-line.ts"

const vendor = defineLimit("vendor", { rate: "1/1h" })
const call = defineTask("call", { limits: [vendor("host-1")], run: () => Promise.resolve() })

describe("sluice top", () => {
  it("shows once what is, where nobody looks at a terminal", async () => {
    const line = new CommandLine()
    const queue = await line.queue()
    await queue.submitMany(call, [{}, {}, {}])
    const { stdout, exitCode } = await line.sluice("top")
    assert.equal(exitCode, 0)
    assert.match(stdout, /waiting 3 {3}running 0/)
    assert.match(stdout, /no worker +█{20} {2}3/)
    assert.match(stdout, /vendor\/host-1 +3 {2}open +0\/1 in 1h/)
    const { overview, gates } = (await line.sluice("top", "--json")).json() as TopView
    assert.equal(overview.counts.pending, 3)
    assert.equal(gates[0]?.gate, "vendor/host-1")
    await queue.close()
  })

  it("follows it in a terminal, and leaves the screen as it was when q is pressed", async () => {
    const line = new CommandLine({ columns: 80, world: systemWorld })
    const queue = await line.queue()
    let written = ""
    line.onOutput = (text) => {
      written += text
      if (written.includes("waiting 0") && !written.includes("waiting 1")) void queue.submit(call, {})
      else if (written.includes("waiting 1")) line.press("q")
    }
    assert.equal((await line.sluice("top", "--every", "100ms")).exitCode, 0)
    assert.ok(written.startsWith("\u001b[?1049h\u001b[?25l"))
    assert.ok(written.endsWith("\u001b[?25h\u001b[?1049l"))
    await queue.close()
  })

  it("shows a server with a token that may only look, and says when it has none", async () => {
    const queue = await connect("memory:")
    const [token, readToken] = ["0123456789abcdef0123456789abcdef", "fedcba9876543210fedcba9876543210"]
    const server = await serve(queue, { port: 0, token, readToken })
    await queue.submitMany(call, [{}, {}])
    const line = new CommandLine({ world: systemWorld, env: { SLUICE_STORE: server.url, SLUICE_READ_TOKEN: readToken } })
    assert.match((await line.sluice("top")).stdout, /waiting 2/)
    const stranger = new CommandLine({ world: systemWorld, env: { SLUICE_STORE: server.url } })
    const { exitCode, stderr } = await stranger.sluice("top")
    assert.equal(exitCode, 8)
    assert.match(stderr, /expected a token of this server/)
    await server.close()
    assert.match((await line.sluice("top")).stderr, /expected an answer, got none/)
    await queue.close()
  })

  it("fits any terminal: no line is wider, and no more lines than there is room for", () => {
    const gate = { gate: `vendor/${"x".repeat(300)}\u001b[31m`, waiting_tasks: 12_345, opens_at: null, is_paused: true }
    const others = { levels: [{ used: 10, of: 10, per_ms: 10_000 }], slots: { held: 1, of: 5 }, closed_until: null, cooldown: null }
    const counts = { pending: 100_000, running: 20, completed: 9, failed: 3, cancelled: 0, expired: 0, archived: 0 }
    const sample = { at: "", waiting: 1, running: 1, failed: 0, cancelled: 0, expired: 0 }
    const view = {
      overview: {
        ...{ now: "2026-01-28T17:00:00.000Z", namespace: "default", store: "sqlite", counts, is_estimate: true, live_workers: 2 },
        waiting_by_reason: { ready: 0, gate: 90_000, not_due: 10_000, no_worker: 0, unrouted: 0 },
        oldest_waiting: { id: "1", task_type: "call", since: "", seconds: 3_700 },
      },
      samples: Array.from({ length: 360 }, (_, i) => ({ ...sample, completed: i })),
      gates: Array.from({ length: 40 }, () => ({ ...gate, ...others })),
    } as unknown as TopView
    for (const width of [20, 40, 80, 200]) {
      for (const height of [5, 24, 60]) {
        const lines = topLines(view, { width, height }, (_colour, text) => text)
        assert.ok(lines.length <= height)
        for (const line of lines) assert.ok(line.length <= width && !line.includes("\u001b"), `${width}: ${line}`)
      }
    }
    assert.match(topLines(view, { width: 120, height: 24 }, (_colour, text) => text).join("\n"), /oldest 1h 1m/)
  })
})
