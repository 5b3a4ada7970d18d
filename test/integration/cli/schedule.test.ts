// sluice schedule: made, listed, shown, paused, resumed, triggered, removed; and every mistake told in one line.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { defineTask } from "../../../src/index.ts"
import { VirtualWorld } from "../../../src/testing/virtual-world.ts"
import { CommandLine } from "./command-line.ts"

const nightly = ["nightly", "--cron", "0 3 * * *", "--timezone", "Europe/Vienna", "-t", "report", "-i", '{"kind": "full"}'] as const

async function withNightly(): Promise<CommandLine> {
  const line = new CommandLine()
  const said = await line.sluice("schedule", "add", ...nightly)
  assert.deepEqual(said.lines, ["nightly: created, next at 2026-01-29T02:00:00Z (in 14h)"])
  return line
}

describe("sluice schedule", () => {
  it("adds, says what has changed, and takes every option", async () => {
    const line = await withNightly()
    const again = await line.sluice("schedule", "add", ...nightly)
    assert.match(again.stdout, /^nightly: nothing has changed, next at/)
    const said = await line.sluice(
      ...["schedule", "add", ...nightly, "--json", "--catch-up", "all=3", "--ttl-seconds", "90.5", "--max-retries", "7", "--flow", "f"],
      ...["--max-reschedules", "8", "--max-throttles", "none", "--timeout", "1m", "--priority", "-5", "--tag", "a", "--tag", "b"],
    )
    const { change, catch_up, task_type, input, version, next_at } = said.json() as Record<string, unknown>
    assert.deepEqual(
      [change, catch_up, task_type, input, version, next_at],
      ["replaced", { all: 3 }, "report", { kind: "full" }, 2, "2026-01-29T02:00:00Z"],
    )
    const { schedules } = await (await line.queue()).store.schedules({ names: ["nightly"], afterName: null, count: 1 })
    const { priority, tags, expiry, maxRetries, maxReschedules, maxThrottles, timeoutMs, flow, gates } = schedules[0]?.template ?? {}
    assert.deepEqual(
      [priority, tags, expiry, maxRetries, maxReschedules, maxThrottles, timeoutMs, flow, gates],
      [-5, ["a", "b"], { inMs: 90_500 }, 7, 8, null, 60_000, "f", null],
    )
  })

  it("lists them with next, last and what is wrong", async () => {
    const line = await withNightly()
    await line.sluice("schedule", "add", "hourly", "--cron", "@hourly", "-t", "x")
    await line.sluice("schedule", "pause", "hourly")
    const { lines } = await line.sluice("schedule", "ls")
    assert.match(lines[0] ?? "", /^NAME +CRON +TIMEZONE +TYPE +NEXT +LAST +NOTE$/)
    assert.match(lines[1] ?? "", /^hourly +@hourly +UTC +x +paused +never$/)
    assert.match(lines[2] ?? "", /^nightly +0 3 \* \* \* +Europe\/Vienna +report +2026-01-29T02:00:00Z \(in 14h\) +never$/)
    const found = (await line.sluice("schedule", "ls", "--json")).json() as { name: string; is_paused: boolean }[]
    assert.deepEqual(
      found.map(({ name, is_paused }) => [name, is_paused]),
      [
        ["hourly", true],
        ["nightly", false],
      ],
    )
    const none = await new CommandLine().sluice("schedule", "ls")
    assert.deepEqual([none.exitCode, none.stdout], [0, ""])
    assert.match(none.stderr, /^no schedules in .*; make one with sluice schedule add$/m)
  })

  it("shows the next five instants and the last task", async () => {
    const world = new VirtualWorld()
    const line = new CommandLine({ world })
    await line.sluice("schedule", "add", ...nightly)
    const report = defineTask("report", { run: async () => {} })
    const worker = (await line.queue()).worker([report])
    const works = worker.run()
    await world.advance(15 * 3_600_000)
    worker.stop()
    await works
    const { lines } = await line.sluice("schedule", "show", "nightly")
    assert.equal(lines.filter((one) => one.startsWith("next: ")).length, 5)
    assert.ok(lines.includes("next: 2026-01-30T02:00:00Z (in 23h)"))
    assert.ok(lines.includes("last_at: 2026-01-29T02:00:00Z (1h ago)"))
    assert.ok(
      lines.some((one) => /^last_task: [0-9a-f-]{36} \(completed\)$/.test(one)),
      lines.join("\n"),
    )
    const document = (await line.sluice("schedule", "show", "nightly", "--json")).json() as Record<string, unknown>
    assert.deepEqual([(document.upcoming as string[])[0], document.last_task_status], ["2026-01-30T02:00:00Z", "completed"])
  })

  it("pauses, resumes, triggers and removes", async () => {
    const line = await withNightly()
    assert.deepEqual((await line.sluice("schedule", "pause", "nightly")).lines, ["nightly: paused"])
    const triggered = await line.sluice("schedule", "trigger", "nightly")
    const task = await (await line.queue()).get(triggered.lines[0] ?? "")
    assert.deepEqual([task?.type, task?.input], ["report", { kind: "full" }])
    assert.deepEqual((await line.sluice("schedule", "resume", "nightly")).lines, ["nightly: next at 2026-01-29T02:00:00Z (in 14h)"])
    assert.deepEqual((await line.sluice("schedule", "rm", "nightly")).lines, ["nightly: removed"])
    const gone = await line.sluice("schedule", "show", "nightly")
    assert.deepEqual([gone.exitCode, gone.stdout], [6, ""])
  })

  it("doctor tells of instants that nobody fires", async () => {
    const world = new VirtualWorld()
    const line = new CommandLine({ world })
    await line.sluice("schedule", "add", ...nightly)
    assert.match((await line.sluice("doctor")).stdout, /^ok +every schedule stands at an instant that is to come$/m)
    await world.advance(15 * 3_600_000)
    assert.match((await line.sluice("doctor")).stdout, /^warn +instants of nightly have come and nobody has fired them: start a worker/m)
  })

  const mistakes: readonly (readonly [argv: readonly string[], exitCode: number, message: RegExp])[] = [
    [["add", "x", "--cron", "0 25 * * *", "-t", "y"], 2, /^sluice: schedule "x": cron: expected hours as its second field .*, got "25" in/],
    [["add", "x", "--cron", "@dayly", "-t", "y"], 2, /did you mean "@daily"\?$/],
    [["add", "x", "--cron", "", "-t", "y"], 2, /cron: expected five fields/],
    [["add", "x", "--cron", "@daily", "--timezone", "Viena", "-t", "y"], 2, /timezone: .*; did you mean "Europe\/Vienna"\?$/],
    [
      ["add", "x", "-t", "y"],
      2,
      /^sluice: schedule add: required option '--cron <expression>' not specified; see sluice schedule add --help$/,
    ],
    [["add", "x", "--cron", "@daily"], 2, /required option '-t, --type <name>'/],
    [["add", "--cron", "@daily", "-t", "y"], 2, /missing required argument 'name'/],
    [["add", "a b", "--cron", "@daily", "-t", "y"], 2, /^sluice: schedule add: expected 1 to 128 letters/],
    [
      ["add", "x", "--cron", "@daily", "-t", "y", "--catch-up", "some"],
      2,
      /^sluice: --catch-up: expected none, last or all=10 .*, got "some"$/,
    ],
    [
      ["add", "x", "--cron", "@daily", "-t", "y", "--catch-up", "all=0"],
      2,
      /^sluice: --catch-up: all: expected a whole number from 1 to 1000, got 0$/,
    ],
    [["add", "x", "--cron", "@daily", "-t", "y", "--ttl", "5"], 2, /^sluice: --ttl: expected a duration/],
    [["add", "x", "--cron", "@daily", "-t", "y", "--ttl", "5s", "--ttl-seconds", "5"], 2, /got --ttl and --ttl-seconds$/],
    [
      ["add", "x", "--cron", "@daily", "-t", "y", "--gate", "nobody"],
      6,
      /^sluice: schedule "x": expected a limit that some code has declared/,
    ],
    [["add", "x", "--cron", "@daily", "-t", "y", "-i", "{"], 3, /^sluice: --input: expected JSON/],
    [["add", "x", "--cron", "@daily", "-t", "y", "--delay", "5s"], 2, /unknown option '--delay'/],
    [["show", "nobody"], 6, /^sluice: schedule "nobody": expected the name of a schedule, found none; there is none yet; looked in/],
    [["trigger", "a b"], 2, /expected 1 to 128 letters/],
    [["shwo"], 2, /^sluice: schedule: unknown command 'shwo'; did you mean show\?$/],
  ]
  for (const [argv, exitCode, message] of mistakes) {
    it(`schedule ${argv.join(" ")}`, async () => {
      const said = await new CommandLine().sluice("schedule", ...argv)
      assert.match(said.stderr.trimEnd(), message)
      assert.deepEqual([said.exitCode, said.stdout, said.stderr.trimEnd().split("\n").length], [exitCode, "", 1])
    })
  }
})
