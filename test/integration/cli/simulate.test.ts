// sluice simulate: the answer first, then figures, what binds and what one unit more buys; with limits typed in, or as the store has them.

import assert from "node:assert/strict"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, describe, it } from "node:test"
import { CommandLine } from "./command-line.ts"
import { limitedLine } from "./limited-line.ts"

const folder = mkdtempSync(join(tmpdir(), "sluice-simulate-cli-"))
after(() => rmSync(folder, { recursive: true, force: true }))

/** Words of one flag stand in one argument. */
async function said(...argv: readonly string[]) {
  const answer = await new CommandLine().sluice("simulate", ...argv)
  assert.deepEqual([answer.exitCode, answer.stderr], [0, ""])
  return answer
}

async function told(...argv: readonly string[]): Promise<Record<string, unknown>> {
  return (await said(...argv, "--json")).json() as Record<string, unknown>
}

describe("sluice simulate", () => {
  it("tells the answer first, then the figures, what binds, and what one unit more buys", async () => {
    const limit = "vendor-api: 10/10s, provider=sliding, concurrency=5"
    const { lines } = await said("--tasks", "110", "--limit", limit, "--duration", "1s", "--concurrency", "20")
    assert.deepEqual(lines, [
      "ends in 1m 42s: the rate of vendor-api binds 99 % of the time",
      "",
      "tasks       110",
      "throughput  1.08/s",
      "wait        p50 50s, p95 1m 40s, p99 1m 41s, longest 1m 41s",
      "running     5 at once at most",
      "",
      "HELD BY     ITS          SHARE",
      "vendor-api  rate          99 %",
      "vendor-api  concurrency  < 1 %",
      "",
      "ONE MORE    UNIT                      ENDS IN  EARLIER BY",
      "vendor-api  10/10s -> 11/10s          1m 33s   9s",
      "vendor-api  5 at once -> 6 at once    1m 42s   nothing",
      "workers     20 at once -> 21 at once  1m 42s   nothing",
    ])
  })

  it("tells with --json what the library tells, in the names of the wire", async () => {
    const document = await told("--tasks", "100", "--limit", "vendor-api:10/10s,provider=sliding")
    assert.deepEqual(document, {
      tasks: 100,
      ahead: 0,
      end_ms: 90_000,
      per_second: 100 / 90,
      wait: { p50_ms: 40_000, p95_ms: 90_000, p99_ms: 90_000, max_ms: 90_000 },
      most_running: 10,
      last_arrival_ms: 0,
      waiting_at_last_arrival: 90,
      binds: [{ limit: "vendor-api", by: "rate", share: 1 }],
      one_more: [
        {
          limit: "vendor-api",
          of: "rate",
          per_ms: 10_000,
          from: 10,
          to: 11,
          end_ms: 90_000,
          earlier_ms: 0,
          wait: { p50_ms: 40_000, p95_ms: 80_000, p99_ms: 80_000, max_ms: 90_000 },
        },
      ],
    })
  })

  it("takes rates, slots, ways of counting, keys and costs of a limit", async () => {
    const ends = async (limit: string) => (await told("--tasks", "60", "--limit", limit, "--duration", "1s")).end_ms
    assert.equal(await ends("x: 10/10s, provider=sliding"), 51_000)
    assert.equal(await ends("x: rate=10/10s, 20/1m, provider=sliding"), 131_000)
    assert.equal(await ends("x: concurrency=6"), 10_000)
    assert.equal(await ends("x: concurrency=6, cost=2"), 20_000)
    assert.equal(await ends("x: 1/s, provider=bucket, burst=10"), 51_000)
    assert.equal(await ends("x: 10/10s, slack=0"), 51_000)
    assert.equal(await ends("x: 10/10s, provider=fixed, guard=1s"), 52_000)
    assert.equal(await ends("x: 10/10s, provider=sliding, keys=1000+1"), 51_000)
    const spread = (await ends("x: 10/10s, provider=sliding, keys=6")) as number
    assert.ok(spread >= 1_000 && spread < 31_000)
  })

  it("draws durations, the same for the same seed", async () => {
    const argv = ["--tasks", "500", "--concurrency", "10", "--duration", "p50=1s,p99=8s"]
    const [first, again, other] = [await told(...argv), await told(...argv, "--seed", "1"), await told(...argv, "--seed", "2")]
    assert.deepEqual(first, again)
    assert.notEqual(first.end_ms, other.end_ms)
  })

  it("shows where tasks that come one after the other wait ever longer", async () => {
    const { lines } = await said("--tasks", "100", "--limit", "api: 10/10s, provider=sliding", "--arrivals", "2/s", "--duration", "1s")
    assert.equal(lines[0], "ends in 1m 35s, 46s after the last task has come: the rate of api binds 95 % of the time")
    assert.ok(lines.includes("backlog     50 tasks when the last one comes"), lines.join("\n"))
    assert.match(lines.at(-1) ?? "", /^api +10\/10s -> 11\/10s +1m 31s +4s +36s instead of 45s$/)
  })

  it("says so where nothing binds", async () => {
    const { lines } = await said("--tasks", "5", "--duration", "2s")
    assert.equal(lines[0], "ends in 2s: nothing binds")
  })

  it("takes a limit as the store has it, and what waits there goes first", async () => {
    const { line } = await limitedLine()
    const { stdout, exitCode } = await line.sluice("simulate", "--tasks", "10", "--limit", "vendor-api/host-1", "--duration", "1s")
    assert.equal(exitCode, 0)
    assert.match(stdout, /^ends in 18s: the rate of vendor-api binds/)
    assert.match(stdout, /^tasks +10, behind 4 that wait already$/m)
    await line.sluice("limits", "pause", "vendor-api")
    const paused = await line.sluice("simulate", "--tasks", "10", "--limit", "vendor-api", "--duration", "1s")
    assert.equal(paused.lines[0], "never ends: the closing of vendor-api lets nothing more pass")
    assert.match(paused.lines.at(-1) ?? "", /^vendor-api +5 at once -> 6 at once +never +nothing$/)
    const fresh = await line.sluice("simulate", "--tasks", "10", "--limit", "vendor-api: 20/10s")
    assert.match(fresh.stdout, /^ends in 0ms/)
    const { stderr } = await line.sluice("simulate", "--tasks", "1", "--limit", "vendor-ap")
    assert.match(
      stderr,
      /^sluice: queue\.simulate: expected a limit that some code has declared, got "vendor-ap"; known are vendor-api; looked in/,
    )
  })

  it("makes no file", async () => {
    const file = join(folder, "none.db")
    const line = new CommandLine({ env: { SLUICE_STORE: `sqlite:${file}` } })
    assert.equal((await line.sluice("simulate", "--tasks", "5", "--limit", "a: 1/s")).exitCode, 0)
    const { exitCode, stderr } = await line.sluice("simulate", "--tasks", "5", "--limit", "vendor-api")
    assert.equal(exitCode, 6)
    assert.match(
      stderr,
      /^sluice: simulate: expected a limit that the store knows, got "vendor-api", but there is no such file yet; give it a rate, /,
    )
    assert.equal(existsSync(file), false)
  })
})

describe("mistakes in sluice simulate", () => {
  const mistakes: readonly (readonly [argv: readonly string[], exitCode: number, message: RegExp])[] = [
    [[], 2, /^sluice: simulate: required option '--tasks <count>' not specified; see sluice simulate --help$/],
    [["--tasks", "many"], 2, /^sluice: --tasks: expected a whole number from 1 to 1000000, got "many"$/],
    [
      ["--tasks", "1", "--limit", "10/10s"],
      2,
      /^sluice: --limit: expected a name in front of the rate, such as "vendor-api: 10\/10s", got "10\/10s"$/,
    ],
    [
      ["--tasks", "1", "--limit", "api:"],
      2,
      /^sluice: --limit: expected a rate behind the name, such as "vendor-api: 10\/10s", got "api:"$/,
    ],
    [["--tasks", "1", "--limit", ""], 2, /^sluice: --limit: expected 1 to 128 letters/],
    [["--tasks", "1", "--limit", "a b: 1/s"], 2, /^sluice: --limit: expected 1 to 128 letters, .* got "a b"$/],
    [
      ["--tasks", "1", "--limit", "api: 10"],
      2,
      /^sluice: --limit api: expected a rate such as 10\/10s, or concurrency=, .*, cost=, got "10"$/,
    ],
    [["--tasks", "1", "--limit", "api: 1/s, keyz=3"], 2, /got "keyz=3"; did you mean keys=\?$/],
    [
      ["--tasks", "1", "--limit", "api: 1/s, keys=a"],
      2,
      /^sluice: --limit api: keys: expected a number of keys, .* such as 50 or 5\+3\+1, got "a"$/,
    ],
    [["--tasks", "1", "--limit", "api: 1/s, keys=0"], 2, /^sluice: --limit api: keys: expected a whole number from 1 to 100000, got 0$/],
    [["--tasks", "1", "--limit", "api: 1/s, keys=2, keys=3"], 2, /^sluice: --limit api: expected keys once, got it twice$/],
    [["--tasks", "1", "--limit", "api: burst=3"], 2, /^sluice: --limit api: expected a rate such as 10\/10s beside burst, got none$/],
    [["--tasks", "1", "--limit", "api: 1/s, burst=3"], 2, /^sluice: limit "api": burst: expected provider: "bucket" beside it/],
    [
      ["--tasks", "1", "--limit", "api: 1/s, provider=fixd"],
      2,
      /^sluice: --limit api: provider: expected .*, got "fixd"; did you mean "fixed"\?$/,
    ],
    [["--tasks", "1", "--limit", "api: 1/s, cost=2"], 3, /^sluice: simulate: expected a cost of at most 1, .* got 2/],
    [
      ["--tasks", "1", "--limit", "api: concurrency=2"],
      2,
      /^sluice: simulate: duration: expected how long a task runs, .* because limit "api" bounds/,
    ],
    [["--tasks", "1", "--limit", "api: 1/s", "--limit", "api: 2/s"], 2, /expected each limit once, got "api" twice/],
    [["--tasks", "1", "--duration", "p50=1s"], 2, /^sluice: --duration: expected both p50 and p99/],
    [["--tasks", "1", "--duration", "5"], 2, /^sluice: --duration: expected a duration .*write "5s" for seconds\)$/],
    [["--tasks", "1", "--arrivals", "50"], 2, /^sluice: --arrivals: expected a rate/],
    [["--tasks", "1", "--seed", "x"], 2, /^sluice: --seed: expected a whole number/],
  ]
  for (const [argv, expected, message] of mistakes) {
    it(`simulate ${argv.join(" ")}`, async () => {
      const { exitCode, stdout, stderr } = await new CommandLine().sluice("simulate", ...argv)
      assert.match(stderr.trimEnd(), message)
      assert.deepEqual([exitCode, stdout, stderr.trimEnd().split("\n").length], [expected, "", 1])
    })
  }
})
