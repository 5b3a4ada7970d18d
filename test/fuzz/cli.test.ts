// Whatever is typed, the command line ends: with an exit code of the table, with something to read where it went wrong, without a
// stack, and with JSON on stdout where JSON was asked for.

import assert from "node:assert/strict"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, describe, it } from "node:test"
import fc from "fast-check"
import { oneLine } from "../../src/cli/plain.ts"
import { errorTable } from "../../src/errors/index.ts"
import { connect, defineLimit, defineTask, type Queue } from "../../src/index.ts"
import { VirtualWorld } from "../../src/testing/virtual-world.ts"
import { CommandLine, type Said } from "../integration/cli/command-line.ts"
import { runs } from "../property/runs.ts"
import { type Asked, commandLines } from "./argv.ts"
import { closedFile } from "./full-store.ts"
import { assertReadable, inTime } from "./refusal.ts"

// Stores and files that are named on the command line are looked for from here.
const folder = mkdtempSync(join(tmpdir(), "sluice-fuzz-"))
const before = process.cwd()
process.chdir(folder)
writeFileSync("input.json", '{"n": 1}')
after(() => {
  process.chdir(before)
  rmSync(folder, { recursive: true, force: true })
})

/** 1 is left to the unexpected, and what is thrown by handlers ends no command. */
const exitCodes = new Set([0, ...Object.values(errorTable).map(({ exitCode }) => exitCode)].filter((exitCode) => exitCode !== 1))
const asksForHelp = (argv: readonly string[]) => argv.some((word) => /^(-h|--help|help|-V|--version)/.test(word))

/** A task in each status that needs no worker, one at a gate, one unrouted. */
async function fill(queue: Queue): Promise<string[]> {
  const vendor = defineLimit("vendor", { rate: "2/10s", concurrency: 3 })
  const gated = defineTask("call_api", { limits: () => [vendor("host-1"), vendor("\u009bhost\u202e")], run: () => null })
  const tasks = [
    await queue.submit(gated, {}),
    await queue.submit(
      "mail",
      { "\u2066": "\u009b31m\u202e" },
      { tags: ["nightly"], idempotencyKey: "\u009bkey\u202e", flow: "\u200fflow" },
    ),
    await queue.submit("mail", null, { delay: "1h", ttl: "2h" }),
    await queue.submit("mail", [], { ttl: 0 }),
  ]
  await queue.cancel((await queue.submit("mail", {})).id)
  await queue.limits.pause("vendor", { key: "host-2" })
  return tasks.map(({ id }) => id)
}

/** The same ids in every world that starts alike. */
const known = await fill(await connect("memory:fuzz-ids", { namespace: "default", world: new VirtualWorld() }))
const filled = await filledFile()
let made = 0

async function filledFile(): Promise<Buffer> {
  const queue = await connect("sqlite:./filled.db", { namespace: "default", world: new VirtualWorld() })
  await fill(queue)
  await queue.close()
  return closedFile("filled.db")
}

async function said({ argv, stdin, columns }: Asked, kind: "memory" | "sqlite"): Promise<Said> {
  const world = new VirtualWorld()
  const file = `fuzz-${made++}.db`
  const url = kind === "memory" ? `memory:${file}` : `sqlite:./${file}?durability=normal`
  if (kind === "sqlite") writeFileSync(file, filled)
  else await fill(await connect(url, { namespace: "default", world }))
  const line = new CommandLine({ world, stdin, ...(columns === undefined ? {} : { columns }), env: { SLUICE_STORE: url }, cwd: folder })
  const answer = await stopped(line, world, line.sluice(...argv))
  assert.equal(world.armedTimers, 0, "a timer was left behind")
  assert.equal(line.isListening, false)
  rmSync(file, { force: true })
  return answer
}

/** What goes on until it is stopped (serve, top on a terminal, work) is stopped once it has come to rest. */
async function stopped(line: CommandLine, world: VirtualWorld, answering: Promise<Said>): Promise<Said> {
  let isOver = false
  const over = () => {
    isOver = true
  }
  void answering.then(over, over)
  while (!isOver && !line.isListening) await new Promise((resolve) => setImmediate(resolve))
  await world.settle()
  line.signal("SIGTERM")
  return answering
}

function holds({ argv }: Asked, { exitCode, stdout, stderr }: Said): void {
  assert.ok(exitCodes.has(exitCode), `ended with ${exitCode}: ${stderr}`)
  assert.doesNotMatch(stderr, /unexpected:|^ {4}at /m)
  if (exitCode !== 0) assert.notEqual(stderr, "")
  for (const line of stderr.split("\n")) if (line.startsWith("sluice: ")) assertReadable(line)
  if (argv[0] === "--json" && stdout !== "" && !asksForHelp(argv)) assert.doesNotThrow(() => JSON.parse(stdout), stdout)
  assertTerminalSafe(stdout)
  assertTerminalSafe(stderr)
}

/** Colours, and how `top` draws its screen. */
const own = new RegExp(`${String.fromCharCode(27)}\\[(\\d+m|[HJK]|\\?(25|1049)[hl])|\\r(?=\\n)`, "g")

/** Whatever was stored, nothing of it is obeyed by a terminal. */
function assertTerminalSafe(text: string): void {
  assert.doesNotMatch(text.replaceAll(own, ""), /[^\P{Cc}\n]|\p{Bidi_Control}/u)
}

describe("fuzz: the command line", () => {
  for (const [kind, usual] of [
    ["memory", 200],
    ["sqlite", 30],
  ] as const) {
    it(`on ${kind}: ends with a code of the table, and says why`, async () => {
      await fc.assert(
        fc.asyncProperty(commandLines(known), async (asked) => holds(asked, await said(asked, kind))),
        { numRuns: runs(usual) },
      )
    })
  }
})

describe("found by fuzzing the command line", () => {
  const sluice = (...argv: readonly string[]) => said({ argv, stdin: "", columns: undefined }, "memory")

  it("a long run of spaces in a message is taken out at once", () => {
    assert.equal(inTime(() => oneLine(`a${" ".repeat(200_000)}b`)).length, 1_000)
  })

  it("a message about something very long keeps both its ends", async () => {
    const { exitCode, stderr } = await sluice("work", `./${"x".repeat(20_000)}.ts`)
    assert.equal(exitCode, errorTable.invalid_module.exitCode)
    assert.match(stderr, /^sluice: work: expected a module .{100,900} \.\.\. x+\.ts\n$/)
    assert.match((await sluice(`--${"y".repeat(20_000)}`)).stderr, /^sluice: unknown option '--y{400,500}\.\.\.; see sluice --help\n$/)
  })

  it("what a store is to do is not left out behind a second question mark", async () => {
    const { exitCode, stderr } = await sluice("counts", "--store", "sqlite:./x.db?durability=normal?maxBytes=1")
    assert.equal(exitCode, errorTable.invalid_option.exitCode)
    assert.match(stderr, /durability: expected full, normal, got "normal\?maxBytes=1"/)
  })

  it("nothing that is stored or named is obeyed by a terminal, in text or in JSON", async () => {
    for (const argv of [
      ["get", known[1] ?? ""],
      ["get", known[1] ?? "", "--json"],
      ["doctor", "--store", "memory:\u009b31m\u202e"],
    ]) {
      const { exitCode, stdout } = await sluice(...argv)
      assert.equal(exitCode, 0)
      assert.match(stdout, /\\u009b31m\\u202e/)
      assertTerminalSafe(stdout)
    }
    const { stderr } = await sluice("list", "--store", "memory:\u009b31m\u202e")
    assert.match(stderr, /no tasks in namespace "default" of memory:\\u009b31m/)
  })
})
