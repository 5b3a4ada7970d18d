// sluice limits: what it shows of limits and gates, what it changes, and what it says then.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { defineLimit, defineTask } from "../../../src/index.ts"
import { CommandLine } from "./command-line.ts"
import { callApi, limitedLine } from "./limited-line.ts"

describe("sluice limits ls and show", () => {
  it("ls has a line for each limit, with what holds and how many wait", async () => {
    const { line } = await limitedLine()
    assert.deepEqual((await line.sluice("limits", "ls")).lines, [
      "LIMIT       POLICY             GATES  WAITING  NOTE",
      "vendor-api  10/10s, 5 at once      2        4",
    ])
  })

  it("ls of none says where it looked", async () => {
    const said = await new CommandLine().sluice("limits", "ls")
    assert.deepEqual([said.exitCode, said.stdout], [0, ""])
    assert.match(said.stderr, /^no limits in namespace "default" of memory:/)
    assert.equal((await new CommandLine().sluice("limits", "ls", "--json")).stdout, "[]\n")
  })

  it("show of a limit has the code, what is in force, and its gates", async () => {
    const { line } = await limitedLine()
    assert.deepEqual((await line.sluice("limits", "show", "vendor-api")).lines, [
      "limit: vendor-api",
      "code: 10/10s (sliding), 5 at once",
      "in force: 10/10s (sliding), 5 at once",
      "gates: 2",
      "waiting tasks: 4",
      "",
      "KEY     WAITING  OPENS  SLOTS  STATE  LEVEL",
      "host-1        4  in 7s  0/5           10/10 in 10s",
      "host-2        0  now    0/5           1/10 in 10s",
    ])
  })

  it("show of a gate has its level, slots, what waits and when it opens", async () => {
    const { line } = await limitedLine()
    assert.deepEqual((await line.sluice("limits", "show", "vendor-api/host-1")).lines, [
      "gate: vendor-api/host-1",
      "policy: 10/10s (sliding), 5 at once",
      "rate: 10 of 10 used in 10s",
      "slots: 0 of 5 held",
      "waiting: 4 tasks",
      "opens: in 7s",
    ])
    assert.ok((await line.sluice("limits", "show", "vendor-api/nobody-yet")).lines.includes("opens: now"))
  })

  it("show goes from page to page of gates", async () => {
    const { line } = await limitedLine()
    const first = await line.sluice("limits", "show", "vendor-api", "--limit", "1")
    const cursor = /^more gates: repeat with --cursor (\S+)\n$/.exec(first.stderr)?.[1] ?? ""
    const second = await line.sluice("limits", "show", "vendor-api", "--limit", "5", "--cursor", cursor)
    assert.match(first.lines.at(-1) ?? "", /^host-1 /)
    assert.match(second.lines.at(-1) ?? "", /^host-2 /)
    assert.equal(second.stderr, "")
  })

  it("shows a cooldown with the time that remains and the refusals in a row", async () => {
    const { line, queue } = await limitedLine()
    const { store } = queue
    const task = await queue.submit(callApi, { host: "host-3" })
    const claim = { number: 1, types: [{ type: "call_api", room: 1 }], max: 1 }
    await store.exchange({ workerId: "w", settles: [], heartbeats: [], leaseMs: 30_000, claim })
    const outcome = { kind: "throttled", error: "429", status: 429, limit: null, retryAfterMs: 12_000, delayMs: 0, random: 0 } as const
    const settle = { id: task.id, fence: 1, outcome, spent: [], sentAgoMs: null, respondedAgoMs: null, rttMs: null }
    await store.exchange({ workerId: "w", settles: [settle], heartbeats: [], leaseMs: 30_000, claim: null })
    const { lines } = await line.sluice("limits", "show", "vendor-api/host-3")
    assert.match(lines.find((text) => text.startsWith("cooldown")) ?? "", /^cooldown: until 2026.*Z \(in 12s\), after 1 refusal in a row$/)
    assert.match((await line.sluice("limits", "show", "vendor-api")).stdout, /^host-3 .* in 12s .* cools down for 12s /m)
  })

  it("tells where live processes disagree, and so does doctor", async () => {
    const { line } = await limitedLine()
    const stricter = defineLimit("vendor-api", { rate: "8/10s", concurrency: 9, provider: "sliding" })
    await (await line.queue()).submit(defineTask("other", { limits: [stricter], run: () => 1 }), {})
    const { lines } = await line.sluice("limits", "show", "vendor-api")
    assert.deepEqual(lines.slice(1, 6), [
      "code: 8/10s (sliding), 5 at once",
      "disagreement: live processes declare different policies; the stricter of each part holds",
      "declared: 10/10s (sliding), 5 at once, last 3s ago",
      "declared: 8/10s (sliding), 9 at once, last now",
      "in force: 8/10s (sliding), 5 at once",
    ])
    assert.match((await line.sluice("limits", "ls")).stdout, /^vendor-api {2}8\/10s, 5 at once .* processes disagree$/m)
    assert.match(
      (await line.sluice("doctor")).stdout,
      /^warn {2}live processes disagree on vendor-api: 10\/10s \(sliding\), 5 at once or 8\/10s \(sliding\), 9 at once\. The stricter holds/m,
    )
  })
})

describe("sluice limits set, pause, resume, close and reset", () => {
  it("say in one line what holds now, and it does", async () => {
    const { line, world } = await limitedLine()
    const now = async (...argv: string[]) => {
      const said = await line.sluice("limits", ...argv)
      assert.deepEqual([said.exitCode, said.stderr, said.lines.length], [0, "", 1])
      return said.stdout.trimEnd()
    }
    assert.equal(
      await now("set", "vendor-api", "--rate", "5/10s", "--until", "1h"),
      "vendor-api: open; 5/10s (sliding), 5 at once; set by hand until 2026-01-28T13:00:03Z (in 1h)",
    )
    assert.equal(
      await now("set", "vendor-api/host-1", "--concurrency", "2"),
      "vendor-api/host-1: open; 5/10s (sliding), 2 at once; set by hand, and set by hand for the whole limit until 2026-01-28T13:00:03Z (in 1h)",
    )
    assert.equal(
      await now("set", "vendor-api/host-1", "--rate", "3/s", "--rate", "100/1m"),
      "vendor-api/host-1: open; 3/1s (sliding), 100/1m (sliding), 2 at once; set by hand",
    )
    assert.equal(
      await now("pause", "vendor-api/host-2"),
      "vendor-api/host-2: paused; 5/10s (sliding), 5 at once; set by hand for the whole limit until 2026-01-28T13:00:03Z (in 1h)",
    )
    assert.match(await now("resume", "vendor-api/host-2"), /^vendor-api\/host-2: open; 5\/10s/)
    assert.equal(
      await now("close", "vendor-api", "--until", "2026-01-28T12:30:03Z"),
      "vendor-api: closed until 2026-01-28T12:30:03Z (in 30m); 5/10s (sliding), 5 at once; set by hand until 2026-01-28T13:00:03Z (in 1h)",
    )
    assert.equal(
      (await line.sluice("limits", "ls")).lines[1],
      "vendor-api  5/10s, 5 at once      2        4  closed for 30m, overridden, 1 key set by hand",
    )
    await world.advance(3_600_000)
    assert.equal((await line.sluice("limits", "ls")).lines[1], "vendor-api  10/10s, 5 at once      2        4  1 key set by hand")
    assert.equal(await now("reset", "vendor-api/host-1"), "vendor-api/host-1: open; 10/10s (sliding), 5 at once; as the code says")
  })

  it("show has what was set by hand, of the limit and of its keys", async () => {
    const { line } = await limitedLine()
    await line.sluice("limits", "set", "vendor-api", "--rate", "5/10s", "--until", "1h")
    await line.sluice("limits", "pause", "vendor-api/host-2")
    const { lines } = await line.sluice("limits", "show", "vendor-api")
    for (const text of [
      "code: 10/10s (sliding), 5 at once",
      "set by hand: 5/10s (sliding) until 2026-01-28T13:00:03Z (in 1h)",
      "set by hand for host-2: paused",
      "in force: 5/10s (sliding), 5 at once",
    ]) {
      assert.ok(lines.includes(text), `${text} in ${lines.join("\n")}`)
    }
    const gate = (await line.sluice("limits", "show", "vendor-api/host-2")).lines
    assert.ok(gate.includes("policy: 5/10s (sliding), 5 at once (overridden)"))
    assert.ok(gate.includes("paused: until somebody resumes it"))
    assert.ok(gate.includes("opens: when resumed"))
  })

  it("leave who did it in the change log, newest first", async () => {
    const { line } = await limitedLine()
    await line.sluice("limits", "pause", "vendor-api/host-1")
    await line.sluice("limits", "reset", "vendor-api")
    const { lines } = await line.sluice("limits", "history", "vendor-api")
    assert.deepEqual(lines.slice(0, 2), [
      "2026-01-28T12:00:03Z  vendor-api: back to what the code says, by cli (ada)",
      "2026-01-28T12:00:03Z  vendor-api/host-1: paused, by cli (ada)",
    ])
    assert.match(lines[2] ?? "", /^2026-01-28T12:00:00Z {2}vendor-api: the code says 10\/10s \(sliding\), 5 at once, by /)
    assert.equal((await line.sluice("limits", "history", "--limit", "1")).lines.length, 1)
    const nobody = new CommandLine({ world: line.world, env: { SLUICE_STORE: line.storeUrl, USER: "" } })
    await nobody.sluice("limits", "pause", "vendor-api")
    assert.match((await line.sluice("limits", "history")).lines[0] ?? "", /paused, by cli$/)
  })

  it("a key that a terminal would obey is shown, not obeyed", async () => {
    const { line } = await limitedLine()
    const { stdout } = await line.sluice("limits", "pause", "vendor-api/a\u202eb")
    assert.match(stdout, /^vendor-api\/a\\u202eb: paused/)
    assert.match((await line.sluice("limits", "show", "vendor-api")).stdout, /^set by hand for a\\u202eb: paused$/m)
  })
})

describe("sluice limits --json", () => {
  it("is in the names of the wire, with times as text", async () => {
    const { line } = await limitedLine()
    const json = async <T>(...argv: string[]) => (await line.sluice("limits", ...argv, "--json")).json() as T
    const closedAt = "2026-01-28T13:00:03Z"

    const changed = await json<LimitDocument & { gate: GateDocument }>("close", "vendor-api/host-1", "--until", "1h")
    assert.equal(changed.name, "vendor-api")
    assert.deepEqual(changed.settings, {
      "host-1": { override: null, override_until: null, is_paused: false, closed_until: closedAt },
    })
    assert.equal(changed.gate.opens_at, closedAt)

    const shown = await json<LimitDocument>("show", "vendor-api", "--limit", "1")
    assert.deepEqual([shown.gate_count, shown.waiting_tasks, shown.gates.length, typeof shown.cursor], [2, 4, 1, "string"])
    assert.deepEqual([shown.policy.concurrency, shown.policy.rates[0]?.per_us], [5, 10_000_000])
    assert.match(shown.declarations[0]?.seen_at ?? "", /^2026-01-28T12:00:00/)

    const gate = await json<GateDocument>("show", "vendor-api/host-1")
    assert.deepEqual(gate.levels, [{ used: 10, of: 10, per_ms: 10_000 }])
    assert.deepEqual(gate.slots, { held: 0, of: 5 })
    assert.deepEqual([gate.closed_until, gate.setting.closed_until], [closedAt, closedAt])

    const [entry] = await json<{ by: string; change: unknown }[]>("history")
    assert.deepEqual([entry?.by, entry?.change], ["cli (ada)", { kind: "close", until: closedAt }])
    assert.equal((await json<LimitDocument[]>("ls"))[0]?.policy.concurrency, 5)
  })
})

interface LimitDocument {
  readonly name: string
  readonly policy: { readonly rates: readonly { readonly per_us: number }[]; readonly concurrency: number }
  readonly declarations: readonly { readonly seen_at: string }[]
  readonly settings: unknown
  readonly gate_count: number
  readonly waiting_tasks: number
  readonly gates: readonly unknown[]
  readonly cursor: unknown
}

interface GateDocument {
  readonly opens_at: string
  readonly levels: unknown
  readonly slots: unknown
  readonly closed_until: string
  readonly setting: { readonly closed_until: string }
}
