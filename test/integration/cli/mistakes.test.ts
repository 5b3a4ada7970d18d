// Every mistake on the command line: one line on stderr that says what to do, nothing on stdout, no stack, and the exit code
// of the table.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { fileURLToPath } from "node:url"
import { VirtualWorld } from "../../../src/testing/virtual-world.ts"
import { CommandLine } from "./command-line.ts"

const nothing = fileURLToPath(new URL("./modules/nothing.js", import.meta.url))

const mistakes: readonly (readonly [argv: readonly string[], exitCode: number, message: RegExp])[] = [
  [["sumbit"], 2, /^sluice: unknown command 'sumbit'; did you mean submit\?$/],
  [["xyzzy"], 2, /^sluice: unknown command 'xyzzy'; see sluice --help$/],
  [["--stor", "x", "list"], 2, /^sluice: unknown option '--stor'; did you mean --store\?$/],
  [
    ["serve", "--host", "0.0.0.0"],
    2,
    /^sluice: serve: host: expected a token for anything beyond this machine, got "0.0.0.0" without one; set SLUICE_TOKEN or --token-file/,
  ],
  [["serve", "--port", "99999"], 2, /^sluice: --port: expected a whole number from 0 to 65535, got 99999$/],
  [["serve", "--token-file", "./nowhere"], 2, /^sluice: --token-file: expected a file with a token, got ".\/nowhere": there is none$/],
  [
    ["serve", "--token-file", nothing],
    2,
    /^sluice: token: expected a random token of at least 128 bits, .* make one with: openssl rand -hex 32$/,
  ],
  [["serve", "--redact", "password"], 2, /^sluice: redact: expected a path such as "input.password"/],
  [["serve", "--allow-host", "http://queue"], 2, /^sluice: serve: hosts\[0\]: expected the name of a host/],
  [["serve", "--near-expiration", "soon"], 2, /^sluice: --near-expiration: expected a duration/],
  [["submit"], 2, /^sluice: submit: required option '-t, --type <name>' not specified; see sluice submit --help$/],
  [["submit", "-t", "x", "--max-retrys", "3"], 2, /^sluice: submit: unknown option '--max-retrys'; did you mean --max-retries\?$/],
  [["submit", "-t", "x", "--jsn"], 2, /did you mean --json\?$/],
  [["list", "-x"], 2, /^sluice: list: unknown option '-x'; see sluice list --help$/],
  [["list", "--limit"], 2, /^sluice: list: option '--limit <n>' argument missing; see sluice list --help$/],
  [["get"], 2, /^sluice: get: missing required argument 'id'; see sluice get --help$/],
  [["get", "a", "b"], 2, /^sluice: get: too many arguments .* see sluice get --help$/],
  [["submit", "-t", "x", "--ttl", "5minutes"], 2, /^sluice: --ttl: expected a duration such as .*, got "5minutes"$/],
  [["submit", "-t", "x", "--ttl", "300"], 2, /got "300" \(a number has no unit: write "300s" for seconds\)$/],
  [["submit", "-t", "x", "--ttl-seconds", "5m"], 2, /^sluice: --ttl-seconds: expected a number of seconds, 0 or more, got "5m"$/],
  [["submit", "-t", "x", "--delay", "-5s"], 2, /^sluice: --delay: expected a duration/],
  [["submit", "-t", "x", "--timeout", "soon"], 2, /^sluice: --timeout: expected a duration/],
  [["submit", "-t", "x", "--timeout", "0"], 2, /^sluice: submit x: timeout: expected more than 0$/],
  [["submit", "-t", "x", "--expires-at", "tomorrow"], 2, /^sluice: --expires-at: expected .*"2026-01-28T17:00:00Z", got "tomorrow"$/],
  [["submit", "-t", "x", "--schedule-at", "2026-02-30T00:00:00Z"], 2, /^sluice: --schedule-at: expected/],
  [["submit", "-t", "x", "--max-retries", "many"], 2, /^sluice: --max-retries: expected a whole number from 0 to \d+, got "many"$/],
  [["submit", "-t", "x", "--max-reschedules", "-1"], 2, /^sluice: --max-reschedules: expected a whole number from 0 to \d+, got -1$/],
  [["submit", "-t", "x", "--priority", "1.5"], 2, /^sluice: --priority: expected a whole number/],
  [["submit", "-t", "a b"], 2, /^sluice: --type: expected 1 to 128 letters/],
  [["submit", "-t", "x", "--tag", "ok", "--tag", "not ok"], 2, /^sluice: --tag: expected .* got "not ok"$/],
  [["submit", "-t", "x", "--max-input-bytes", "lots"], 2, /^sluice: --max-input-bytes: expected a size/],
  [
    ["submit", "-t", "x", "--ttl", "1h", "--expires-at", "2027-01-28T17:00:00Z"],
    2,
    /^sluice: submit: expected only one of --ttl, --ttl-seconds, --expires-at, got --ttl and --expires-at$/,
  ],
  [["submit", "-t", "x", "--delay", "1h", "--schedule-at", "2027-01-28T17:00:00Z"], 2, /got --delay and --schedule-at$/],
  [["submit", "-t", "x", "--timeout", "1h", "--timeout-seconds", "5"], 2, /got --timeout and --timeout-seconds$/],
  [["submit", "-t", "x", "-i", "{bad"], 3, /^sluice: --input: expected JSON, got "\{bad" \(.*\)$/],
  [["submit", "-t", "x", "-i", ""], 3, /^sluice: --input: expected JSON, got ""/],
  [["submit", "-t", "x", "-i", "@no-such-file.json"], 3, /^sluice: --input: expected a file at no-such-file.json, but ENOENT/],
  [["submit", "-t", "x", "-i", '"too long"', "--max-input-bytes", "5"], 3, /^sluice: input: expected at most 5 B of JSON, got 10 B/],
  [
    ["submit", "-t", "x", "--schedule-at", "2027-01-02T00:00:00Z", "--expires-at", "2027-01-01T00:00:00Z"],
    3,
    /^sluice: submit x: expected a schedule before the expiry, got schedule_at 2027-01-02T00:00:00Z after expires_at 2027-01-01T00:00:00Z$/,
  ],
  [["list", "--status", "expird"], 2, /^sluice: --status: expected pending, .*, got "expird"; did you mean "expired"\?$/],
  [["list", "--status", "failed,"], 2, /^sluice: --status: expected pending, .*, got ""$/],
  [["list", "--limit", "0"], 2, /^sluice: --limit: expected a whole number from 1 to 1000, got 0$/],
  [["list", "--created-from", "2026"], 2, /^sluice: --created-from: expected/],
  [["list", "--created-before", "now"], 2, /^sluice: --created-before: expected/],
  [["list", "--cursor", "zzz"], 2, /^sluice: list: cursor: expected the cursor of the page before, got "zzz"$/],
  [
    ["get", "abc123"],
    6,
    /^sluice: task "abc123": expected the id of a task, found none; .*; looked in namespace "default" of memory:cli-\d+$/,
  ],
  [["status", "abc123"], 6, /^sluice: task "abc123": expected the id of a task/],
  [["history", "abc123"], 6, /^sluice: task "abc123": expected the id of a task/],
  [["cancel", "abc123"], 6, /^sluice: task "abc123": expected the id of a task/],
  [["counts", "--namespace", "a b"], 2, /^sluice: --namespace: expected/],
  [["list", "--store", "sqlit:x"], 8, /^sluice: store: expected a URL .*, got "sqlit:x"; did you mean "sqlite:"\?$/],
  [["list", "--store", "redsi://user:secret@host"], 8, /got "redsi:\/\/user:\*\*\*@host"; did you mean "redis:"\?$/],
  [["sweep", "--retention", "forever"], 2, /^sluice: --retention: expected a duration/],
  [["completion", "tcsh"], 2, /^sluice: completion: .*'tcsh'.* bash, zsh, fish; see sluice completion --help$/],
  [["explain", "abc123"], 6, /^sluice: task "abc123": expected the id of a task, found none; .*; looked in namespace "default"/],
  [["submit", "-t", "x", "--gate", "api/"], 2, /^sluice: --gate: expected a limit or one of its gates, such as .*, got "api\/"$/],
  [["submit", "-t", "x", "--gate", "a b/c"], 2, /^sluice: --gate: expected 1 to 128 letters/],
  [["submit", "-t", "x", "--gate", "api/c=0"], 3, /^sluice: --gate: expected a whole cost of 1 or more behind "=", got "api\/c=0"$/],
  [
    ["submit", "-t", "x", "--gate", "api/c"],
    6,
    /^sluice: submit x: expected a limit that some code has declared, got "api"; .*"sluice limits ls"; looked in namespace "default" of/,
  ],
  [["submit", "-t", "x", "--gate", "api/c", "--gate", "api/c=2"], 2, /expected each gate once, got api\/c twice/],
  [["forecast", "--limit", "0"], 2, /^sluice: --limit: expected a whole number from 1 to 1000, got 0$/],
  [["limits", "shwo"], 2, /^sluice: limits: unknown command 'shwo'; did you mean show\?$/],
  [["limits", "ls", "x"], 2, /^sluice: limits ls: too many arguments .* see sluice limits ls --help$/],
  [["limits", "show"], 2, /^sluice: limits show: missing required argument 'target'; see sluice limits show --help$/],
  [["limits", "show", "/"], 2, /^sluice: limits show: expected a limit or one of its gates, such as .*, got "\/"$/],
  [
    ["limits", "show", "api"],
    6,
    /^sluice: .*expected a limit that some code has declared, got "api"; none is known yet; looked in namespace/,
  ],
  [["limits", "show", "api/key"], 6, /got "api"; none is known yet/],
  [["limits", "pause", "api"], 6, /got "api"; none is known yet/],
  [["limits", "history", "api"], 6, /got "api"; none is known yet/],
  [["limits", "history", "api/key"], 2, /^sluice: limits history: expected 1 to 128 letters/],
  [
    ["limits", "set", "api"],
    2,
    /^sluice: limits set: expected --rate, --concurrency or both, got neither; sluice limits reset api goes back/,
  ],
  [["limits", "set", "api", "--rate", "fast"], 2, /^sluice: --rate: expected a rate such as "10\/10s", .*, got "fast"$/],
  [["limits", "set", "api", "--concurrency", "0"], 2, /^sluice: --concurrency: expected a whole number from 1 to \d+, got 0$/],
  [
    ["limits", "set", "api", "--concurrency", "3", "--until", "soon"],
    2,
    /^sluice: --until: expected a duration from now .* or a time .* got "soon"$/,
  ],
  [["limits", "close", "api"], 2, /^sluice: limits close: required option '--until <when>' not specified; see sluice limits close --help$/],
  [
    ["limits", "close", "api", "--until", "2026-01-28T11:00:00Z"],
    2,
    /^sluice: --until: expected a time that is still to come .*it is 2026-01-28T12/,
  ],
  [["work"], 2, /^sluice: work: missing required argument 'module'/],
  [
    ["work", "./no-such-module.ts"],
    7,
    /^sluice: work: expected a module of tasks such as .\/tasks.ts, found nothing at .*no-such-module.ts$/,
  ],
  [["work", ".", "--watch"], 7, /^sluice: work: --watch: expected a file of tasks such as .\/tasks.ts, got \//],
  [["work", nothing], 7, /nothing.js: expected a module that exports tasks made by defineTask, found none$/],
  [["work", nothing, "--concurrency", "0"], 2, /^sluice: --concurrency: expected a whole number from 1/],
  [["work", nothing, "--lease", "long"], 2, /^sluice: --lease: expected a duration/],
  [["work", nothing, "--retention", "always"], 2, /^sluice: --retention: expected a duration/],
  [["work", nothing, "--id", "a b"], 2, /^sluice: --id: expected/],
]

describe("a mistake on the command line", () => {
  for (const [argv, exitCode, message] of mistakes) {
    it(`sluice ${argv.map((word) => (word === nothing ? "nothing.js" : word)).join(" ")}`, async () => {
      const line = new CommandLine()
      const said = await line.sluice(...argv)
      assert.match(said.stderr.trimEnd(), message)
      assert.equal(said.exitCode, exitCode)
      assert.equal(said.stderr.split("\n").length, 2, "one line")
      assert.equal(said.stdout, "")
      assert.equal(line.isListening, false)
      // Nothing was stored on the way to the refusal.
      assert.deepEqual((await (await line.queue()).list()).tasks, [])
    })
  }

  it("no command at all shows the help, on stderr", async () => {
    const said = await new CommandLine().sluice()
    assert.equal(said.exitCode, 2)
    assert.match(said.stderr, /^Usage: sluice/)
    assert.equal(said.stdout, "")
  })

  it("sluice limits alone shows its help, on stderr", async () => {
    const said = await new CommandLine().sluice("limits")
    assert.deepEqual([said.exitCode, said.stdout], [2, ""])
    assert.match(said.stderr, /^Usage: sluice limits [\s\S]*\n {2}pause <target> /)
  })

  it("a namespace from the environment is named as such", async () => {
    const said = await new CommandLine({ env: { SLUICE_NAMESPACE: "a b" } }).sluice("list")
    assert.match(said.stderr, /^sluice: SLUICE_NAMESPACE: expected/)
    assert.equal(said.exitCode, 2)
  })

  it("an error that nobody expected ends with 1, on one line", async () => {
    const world = new VirtualWorld()
    world.wallMs = () => {
      throw new Error("the clock\n  is broken")
    }
    const said = await new CommandLine({ world }).sluice("now")
    assert.equal(said.stderr, "sluice: unexpected: the clock is broken (SLUICE_DEBUG=1 shows where)\n")
    assert.equal(said.exitCode, 1)
  })

  it("shows a stack with SLUICE_DEBUG=1 alone", async () => {
    const said = await new CommandLine({ env: { SLUICE_DEBUG: "1" } }).sluice("get", "abc")
    assert.match(said.stderr, /^sluice: task "abc".*\n.*Error: task "abc".*\n {4}at /)
    assert.equal(said.exitCode, 6)
  })

  it("another input under a used idempotency key ends with 4", async () => {
    const line = new CommandLine()
    const id = await line.submit("-t", "x", "-i", "1", "--idempotency-key", "k")
    assert.equal(await line.submit("-t", "x", "-i", "1", "--idempotency-key", "k"), id)
    const said = await line.sluice("submit", "-t", "x", "-i", "2", "--idempotency-key", "k")
    assert.match(said.stderr, /^sluice: submit x: expected the same type and input for idempotency key "k"/)
    assert.equal(said.exitCode, 4)
  })
})
