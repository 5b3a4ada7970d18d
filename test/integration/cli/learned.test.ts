// sluice limits learned, and what other commands say of gates that learn.

import assert from "node:assert/strict"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, describe, it } from "node:test"
import { defineLimit, defineTask, type Queue } from "../../../src/index.ts"
import { completed, said, throttled } from "../../../src/testing/conformance/outcomes.ts"
import { VirtualWorld } from "../../../src/testing/virtual-world.ts"
import { CommandLine } from "./command-line.ts"

const folder = mkdtempSync(join(tmpdir(), "sluice-learned-"))
after(() => rmSync(folder, { recursive: true, force: true }))

const run = () => null
const crawl = defineLimit("crawl", { adaptive: "linear", concurrency: 10 })
const vendor = defineLimit("vendor", { adaptive: true })
const plain = defineLimit("plain", { rate: "10/10s", provider: "sliding" })
const fetchPage = defineTask("fetch_page", { limits: (host: string) => [crawl(host)], run })
const call = defineTask("call", { limits: [vendor, plain], run })

interface Learning {
  readonly line: CommandLine
  readonly world: VirtualWorld
  readonly queue: Queue
}

/** Three tasks for each of two hosts, of which the first was refused and the second has answered; and a limit that scouts. */
async function learning(stdin = ""): Promise<Learning> {
  const world = new VirtualWorld()
  const line = new CommandLine({ env: { USER: "ada" }, world, stdin, cwd: folder })
  const queue = await line.queue()
  await queue.submitMany(fetchPage, ["a", "a", "a", "b", "b", "b"])
  await queue.submitMany(call, [1, 2, 3])
  let claims = 0
  const settle = async (type: string, outcome: ReturnType<typeof completed>) => {
    const claim = { number: ++claims, types: [{ type, room: 1 }], max: 1 }
    const { claimed } = await queue.store.exchange({ workerId: "w", settles: [], heartbeats: [], leaseMs: 30_000, claim })
    const settles = claimed.map((task) => said(task, outcome))
    await queue.store.exchange({ workerId: "w", settles, heartbeats: [], leaseMs: 30_000, claim: null })
  }
  await settle("fetch_page", throttled(0, 429))
  await settle("fetch_page", completed())
  await settle("call", completed())
  await world.advance(1_000)
  return { line, world, queue }
}

describe("sluice limits learned ls", () => {
  it("has a line for each gate that has learned something", async () => {
    const { line } = await learning()
    assert.deepEqual((await line.sluice("limits", "learned", "ls")).lines, [
      "GATE     LEARNS  EVERY  FLOOR  REFUSED  ANSWERED  SLOTS  LAST ANSWER",
      "crawl/a  linear   1.5s               1         0  10/10",
      "crawl/b  linear                      0         1  10/10  1s ago",
      "vendor   scout      1s               0         1         1s ago",
    ])
    assert.equal((await line.sluice("limits", "learned", "ls", "crawl")).lines.length, 3)
    const cut = await line.sluice("limits", "learned", "ls", "--limit", "1")
    assert.deepEqual([cut.lines.length, cut.stderr], [2, "more gates have learned something: repeat with a higher --limit\n"])
    assert.equal((await line.sluice("limits", "learned", "ls", "--limit", "3")).stderr, "")
  })

  it("of none says where it looked, and of no limit that it is none", async () => {
    const { line } = await learning()
    const none = await line.sluice("limits", "learned", "ls", "plain")
    assert.deepEqual([none.exitCode, none.stdout], [0, ""])
    assert.match(none.stderr, /^no gate of plain has learned anything in namespace "default"/)
    assert.equal((await line.sluice("limits", "learned", "ls", "plain", "--json")).stdout, "[]\n")
    assert.equal((await line.sluice("limits", "learned", "ls", "nobody")).exitCode, 6)
  })
})

describe("what other commands say of a gate that learns", () => {
  it("show has it in words, and with --json by the names of the seed", async () => {
    const { line } = await learning()
    assert.deepEqual((await line.sluice("limits", "show", "crawl/a")).lines.slice(1, 3), [
      "policy: 10 at once, adaptive (linear)",
      "learned: a start every 1.5s, learned (linear): 429 streak 1",
    ])
    const document = (await line.sluice("limits", "show", "crawl/a", "--json")).json() as { learned: unknown }
    assert.deepEqual(document.learned, {
      preset: "linear",
      every_ms: 1_500,
      slots: 10,
      error_streak: 1,
      success_streak: 0,
      adaptive_delay: 1_500,
      delay_floor: 0,
      next_available: "2026-01-28T12:00:01.500Z",
      last_success: null,
      version: 1,
    })
    const whole = (await line.sluice("limits", "show", "crawl", "--json")).json() as {
      gates: { key: string; learned: { every_ms: number } }[]
    }
    assert.deepEqual(
      whole.gates.map(({ key, learned }) => [key, learned.every_ms]),
      [
        ["a", 1_500],
        ["b", null],
      ],
    )
    assert.match((await line.sluice("limits", "show", "crawl")).stdout, /^a .* cools down for 500ms {2}every 1\.5s$/m)
    assert.match((await line.sluice("limits", "ls")).stdout, /^crawl +10 at once, adaptive \(linear\) /m)
    assert.equal(
      ((await line.sluice("limits", "show", "plain", "--json")).json() as { gates: { learned: unknown }[] }).gates[0]?.learned,
      null,
    )
  })

  it("explain says that a task waits for the pace, whether learned or not", async () => {
    const { line, queue, world } = await learning()
    await world.advance(10_000)
    const { tasks } = await queue.list({ status: ["pending"] })
    const last = (type: string, input: unknown) => tasks.find((task) => task.type === type && task.input === input)?.id ?? ""
    assert.match(
      (await line.sluice("explain", last("fetch_page", "a"))).stdout,
      /^It waits for the pace that gate crawl\/a has learned: a start every 1\.5s, 2 before it; it opens for this task at 2026-01-28T12:00:14Z \(in 3s\)\.$/m,
    )
    assert.match(
      (await line.sluice("explain", last("fetch_page", "b"))).stdout,
      /^It waits for the distance that gate crawl\/b keeps: a start every 500ms, 1 before it; it opens for this task at/m,
    )
    const document = (await line.sluice("explain", last("fetch_page", "a"), "--json")).json() as {
      forecast: { basis: string }
      gates: { spacing: unknown }[]
    }
    assert.deepEqual([document.forecast.basis, document.gates[0]?.spacing], ["pace", { every_ms: 1_500, is_learned: true }])
  })

  it("explain of a gate that has learned nothing has the pace that it begins with", async () => {
    const { line, queue } = await learning()
    const fresh = defineTask("fresh", { limits: [defineLimit("fresh", { adaptive: true })], run })
    const last = (await queue.submitMany(fresh, [1, 2, 3])).at(-1)
    assert.match(
      (await line.sluice("explain", last?.id ?? "")).stdout,
      /^It waits for the distance that gate fresh keeps: a start every 1s, 2 before it; it opens for this task at 2026-01-28T12:00:03Z \(in 2s\)\.$/m,
    )
  })

  it("explain of a gate that cools down has its distance instead of a level", async () => {
    const { line, queue } = await learning()
    await queue.submit(fetchPage, "a", { priority: 9 })
    const { tasks } = await queue.list({ limit: 1 })
    assert.match(
      (await line.sluice("explain", tasks[0]?.id ?? "")).stdout,
      /^Gate crawl\/a holds it: a start every 1\.5s, 0 of 10 slots; nothing passes before it; it cools down until/m,
    )
  })
})

describe("sluice limits learned set and reset", () => {
  it("say in one line what is known now, and it is", async () => {
    const { line } = await learning()
    const now = async (...argv: string[]) => {
      const said = await line.sluice("limits", "learned", ...argv)
      assert.deepEqual([said.exitCode, said.stderr, said.lines.length], [0, "", 1])
      return said.stdout.trimEnd()
    }
    assert.equal(
      await now("set", "crawl/a", "--delay", "12s", "--floor", "1s"),
      "crawl/a: a start every 12s, learned (linear): floor 1s, 429 streak 1; 8 of 10 slots",
    )
    assert.equal(await now("set", "crawl/new", "--delay", "0"), "crawl/new: no distance between starts, learned (linear)")
    assert.equal(await now("set", "vendor", "--rate", "5/s"), "vendor: a start every 200ms, learned (scout): 1 answer since")
    assert.equal(await now("reset", "crawl/a"), "crawl/a: what it had learned is forgotten")
    assert.match((await line.sluice("limits", "show", "crawl/a")).stdout, /^learned: nothing yet \(linear\)$/m)
    assert.equal(await now("reset", "crawl"), "crawl: what its gates had learned is forgotten")
    assert.equal((await line.sluice("limits", "learned", "ls", "crawl")).stdout, "")
    assert.match((await line.sluice("limits", "history", "--limit", "1")).stdout, / crawl: what was learned is forgotten, by cli \(ada\)$/m)
    const document = (await line.sluice("limits", "learned", "set", "vendor", "--rate", "4/s", "--json")).json() as {
      gate: { learned: { every_ms: number } }
    }
    assert.equal(document.gate.learned.every_ms, 250)
  })

  it("refuse what is wrong in one line, and change nothing", async () => {
    const { line } = await learning()
    for (const [argv, exitCode, message] of [
      [["crawl/a"], 2, "expected --delay, --floor or both, or --rate, got none"],
      [["crawl/a", "--delay", "1s", "--rate", "1/s"], 2, "expected only one of --delay, --rate, got --delay and --rate"],
      [["vendor", "--floor", "1s", "--rate", "1/s"], 2, "expected only one of --floor, --rate, got --floor and --rate"],
      [["crawl/a", "--rate", "1/s"], 2, "expected --delay or --floor, because crawl learns by linear, got --rate"],
      [["vendor", "--delay", "1s", "--floor", "1s"], 2, "expected --rate, because vendor learns by scout, got --delay and --floor"],
      [["crawl", "--delay", "1s"], 2, "expected one gate, such as crawl/a, because crawl is split by a key, got crawl"],
      [["plain", "--rate", "1/s"], 2, "expected a limit that learns, got plain, whose code has no adaptive: true"],
      [["crawl/a", "--delay", "2m"], 2, "delay: expected at most 1m, the max of the limit, got 2m"],
      [["crawl/a", "--delay", "fast"], 2, '--delay: expected a duration such as "500ms"'],
      [["crawl/", "--delay", "1s"], 2, "expected a limit or one of its gates"],
      [["nobody", "--delay", "1s"], 6, "known are crawl, plain, vendor"],
    ] as const) {
      const said = await line.sluice("limits", "learned", "set", ...argv)
      assert.deepEqual([said.exitCode, said.stdout], [exitCode, ""], said.stderr)
      assert.ok(said.stderr.startsWith("sluice: ") && said.stderr.includes(message), said.stderr)
      assert.equal(said.stderr.split("\n").length, 2)
    }
    assert.equal((await line.sluice("limits", "learned", "reset", "nobody")).exitCode, 6)
    assert.match(
      (await line.sluice("limits", "show", "crawl/a")).stdout,
      /^learned: a start every 1\.5s, learned \(linear\): 429 streak 1$/m,
    )
  })
})

describe("sluice limits learned export and import", () => {
  it("carry what was learned to another store, through a file or stdin", async () => {
    const { line } = await learning()
    const exported = await line.sluice("limits", "learned", "export")
    assert.match(exported.stderr, /^exported 3 gates of namespace "default"/)
    assert.deepEqual(
      exported.lines.map((text) => Object.keys(JSON.parse(text) as object)),
      Array(3).fill(["limit", "key", "taught"]),
    )
    assert.equal((await line.sluice("limits", "learned", "export", "crawl", "--json")).stdout, `${exported.lines.slice(0, 2).join("\n")}\n`)
    assert.equal((await line.sluice("limits", "learned", "export", "nobody")).exitCode, 6)

    const table = async (of: CommandLine) => (await of.sluice("limits", "learned", "ls")).stdout
    writeFileSync(join(folder, "learned.jsonl"), exported.stdout)
    for (const [stdin, file] of [
      ["", "learned.jsonl"],
      [`\n${exported.stdout}\n`, "-"],
    ] as const) {
      const { line: other } = await learning(stdin)
      await other.sluice("limits", "learned", "reset", "crawl")
      await other.sluice("limits", "learned", "reset", "vendor")
      const said = await other.sluice("limits", "learned", "import", file)
      assert.match(said.stdout, /^imported 3 gates into namespace "default"/)
      assert.equal(await table(other), await table(line))
      assert.deepEqual((await other.sluice("limits", "learned", "import", file, "--json")).json(), { imported: 3 })
      assert.match((await other.sluice("limits", "history", "--limit", "1")).stdout, / by cli \(ada\)$/m)
    }
  })

  it("import ends at a line that is refused, names it, and says what was taken", async () => {
    const { line } = await learning()
    const [first = "", second = "", third = ""] = (await line.sluice("limits", "learned", "export")).lines
    for (const [bad, exitCode, message] of [
      ["{not json", 2, "expected JSON"],
      ['{"limit": "crawl"}', 2, "expected what was exported"],
      [second.replace('"crawl"', '"nobody"'), 6, "expected a limit that some code has declared"],
      [second.replace('"crawl"', '"vendor"'), 2, 'expected a limit that learns by "linear"'],
    ] as const) {
      const { line: other } = await learning([first, "", bad, third].join("\n"))
      for (const limit of ["crawl", "vendor"]) await other.sluice("limits", "learned", "reset", limit)
      const said = await other.sluice("limits", "learned", "import", "-")
      assert.deepEqual([said.exitCode, said.stdout], [exitCode, ""])
      assert.ok(said.stderr.startsWith("sluice: limits learned import: line 3: "), said.stderr)
      assert.ok(said.stderr.includes(message), said.stderr)
      assert.match(said.stderr, /; 1 gate before it was imported, nothing behind it/)
      assert.deepEqual(
        (await other.sluice("limits", "learned", "ls")).lines.slice(1).map((text) => text.split(" ")[0]),
        ["crawl/a"],
      )
    }
  })

  it("import says that a file is not there, and of an empty one that it is empty", async () => {
    const { line } = await learning()
    const missing = await line.sluice("limits", "learned", "import", "nowhere.jsonl")
    assert.equal(missing.exitCode, 2)
    assert.match(missing.stderr, /^sluice: limits learned import: expected a file at nowhere\.jsonl, or - for stdin, but ENOENT/)
    assert.match((await line.sluice("limits", "learned", "import", "-")).stdout, /^imported 0 gates /)
  })
})
