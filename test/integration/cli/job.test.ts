// sluice job: from a list of inputs to the end of the job, as people and scripts see it.

import assert from "node:assert/strict"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, it } from "node:test"
import { defineLimit, defineTask, PermanentError } from "../../../src/index.ts"
import { VirtualWorld } from "../../../src/testing/virtual-world.ts"
import { sleep } from "../../../src/world/index.ts"
import { CommandLine } from "./command-line.ts"

const esc = String.fromCharCode(27)
const codes = new RegExp(`${esc}\\[[0-9;]*[A-Za-z]`, "g")
const idPattern = /^[0-9a-f-]{36}$/

async function submitted(line: CommandLine, ...argv: readonly string[]): Promise<string> {
  const said = await line.sluice("job", "submit", ...argv)
  assert.equal(said.exitCode, 0, said.stderr)
  assert.match(said.lines[0] ?? "", idPattern)
  return said.lines[0] ?? ""
}

describe("sluice job submit", () => {
  it("takes inputs from a file, from stdin and from the command line", async () => {
    const folder = mkdtempSync(join(tmpdir(), "sluice-job-"))
    try {
      writeFileSync(join(folder, "pages.jsonl"), '{"n": 1}\n\n{"n": 2}\n')
      const line = new CommandLine({ cwd: folder, stdin: '{"n": 3}\n' })
      const id = await submitted(line, "import", "-t", "page", "--inputs", "pages.jsonl", "-i", '{"n": 9}', "--tag", "x")
      const queue = await line.queue()
      const { tasks } = await queue.list({ job: id })
      assert.deepEqual(
        tasks.map(({ input, tags }) => [input, tags]).reverse(),
        [1, 2, 9].map((n) => [{ n }, ["x"]]),
      )
      const other = await submitted(line, "import", "-t", "page", "--inputs", "-", "--open", "--concurrency", "2")
      const job = await queue.jobs.get(other)
      assert.deepEqual([job?.total, job?.isOpen, job?.concurrency, job?.failureThreshold], [1, true, 2, 20])
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  it("tells what is wrong", async () => {
    const line = new CommandLine({ stdin: '{"n": 1}\n{"n": \n' })
    const wrong: [string[], RegExp][] = [
      [["a", "-t", "page", "--inputs", "-"], /--inputs: line 2: expected JSON/],
      [["a", "-t", "page", "--inputs", "none.jsonl"], /--inputs: expected a file at none.jsonl/],
      [["a", "-t", "page", "--concurrency", "0"], /--concurrency: expected a whole number from 1/],
      [["a", "-t", "page", "--failure-threshold", "few"], /--failure-threshold: expected/],
      [["a", "-t", "page", "--exempt-statuses", "4o4"], /--exempt-statuses.*expected/],
      [["a"], /required option '-t, --type <name>'/],
      [["a b", "-t", "page"], /job: expected 1 to 128 letters/],
    ]
    for (const [argv, message] of wrong) {
      const said = await line.sluice("job", "submit", ...argv)
      assert.match(said.stderr, message)
      assert.ok(said.exitCode >= 2 && said.exitCode <= 3, `${argv.join(" ")}: ${said.exitCode}`)
    }
  })
})

const api = defineLimit("api", { concurrency: 1 })
const page = defineTask("page", {
  limits: [api],
  maxRetries: 0,
  run: async ({ n }: { n: number }, { queue, progress }) => {
    progress({ page: n })
    await sleep(queue.world, 30_000)
    if (n < 0) throw new PermanentError("no such page", { status: 500 })
  },
})

/** A worker in the same world, and a job with so many pages, two of which have run. */
async function atWork(options: { readonly pages: readonly number[]; readonly columns?: number }) {
  const world = new VirtualWorld()
  const line = new CommandLine({ world, ...(options.columns === undefined ? {} : { columns: options.columns }) })
  const queue = await line.queue()
  const stop = new AbortController()
  const work = queue.worker([page], { concurrency: 4 }).run({ signal: stop.signal })
  const { id } = await queue.submitJob(
    "import",
    options.pages.map((n) => ({ task: page, input: { n } })),
    { failureThreshold: 2 },
  )
  await world.advance(75_000)
  const end = async () => {
    stop.abort()
    await world.advance(60_000)
    await work
    await queue.close()
  }
  return { world, line, queue, id, end }
}

describe("sluice job show", () => {
  it("tells how far it is, what holds it, its gates and what runs", async () => {
    const { line, id, end } = await atWork({ pages: [1, 2, 3, 4] })
    const { lines } = await line.sluice("job", "show", id)
    assert.ok(lines.includes("tasks: 2 of 4 ended, 50 % (1 pending, 1 running, 2 completed)"), lines.join("\n"))
    assert.ok(lines.includes("held by: api"), lines.join("\n"))
    assert.ok(
      lines.some((text) => /^api +0 +until a slot is free +1\/1 +1/.test(text)),
      lines.join("\n"),
    )
    assert.ok(
      lines.some((text) => text.includes('page  15s  {"page": 3}')),
      lines.join("\n"),
    )
    const shown = (await line.sluice("job", "show", id, "--json")).json() as Record<string, unknown>
    assert.deepEqual([shown.status, shown.total, shown.held_by], ["running", 4, "api"])
    const [gate] = shown.gates as Record<string, unknown>[]
    assert.deepEqual([gate?.backoff_seconds, gate?.rate_limit_count, gate?.base_concurrency, gate?.effective_concurrency], [0, 0, 1, 1])
    const missing = await line.sluice("job", "show", "nobody")
    assert.equal(missing.exitCode, 6)
    assert.match(missing.stderr, /job "nobody": expected the id of a job, found none/)
    await end()
  })
})

describe("sluice job watch", () => {
  it("follows the job to its end, a line for each change", async () => {
    const { world, line, id, end } = await atWork({ pages: [1, 2, 3, 4] })
    const watching = line.sluice("job", "watch", id)
    await world.advance(120_000)
    const said = await watching
    assert.equal(said.exitCode, 0)
    assert.match(said.lines[0] ?? "", /^50 %, 2 of 4, 2\/min, ends in about \S+, held by api$/)
    assert.match(said.lines.at(-1) ?? "", /^completed, 100 %, 4 of 4/)
    await end()
  })

  it("draws a bar over itself on a terminal", async () => {
    const { world, line, id, end } = await atWork({ pages: [1, 2, 3, 4], columns: 80 })
    const watching = line.sluice("job", "watch", id)
    await world.advance(120_000)
    const { stdout } = await watching
    assert.match(stdout, /\[#+-+\] {2}50 % {2}2 of 4 {2}2\/min {2}ends in about/)
    assert.ok(stdout.includes(`${esc}[5A`), "expected it to go back up")
    assert.match(stdout, /\[#+\] {2}100 % {2}4 of 4/)
    const widest = Math.max(...stdout.split("\n").map((text) => text.replaceAll(codes, "").length))
    assert.ok(widest <= 80, `expected lines of at most 80, got ${widest}`)
    await end()
  })

  it("exits with 5 where the job fails, and says why", async () => {
    const { world, line, id, end } = await atWork({ pages: [1, -2, -3, 4] })
    const watching = line.sluice("job", "watch", id)
    await world.advance(120_000)
    const said = await watching
    assert.deepEqual([said.exitCode, said.stderr.includes("it failed: 2 tasks in a row failed")], [5, true])
    await end()
  })

  it("stops looking when asked to, and the job goes on", async () => {
    const { world, line, id, queue, end } = await atWork({ pages: [1, 2, 3, 4] })
    const watching = line.sluice("job", "watch", id)
    await world.advance(1_500)
    line.signal("SIGINT")
    await world.advance(0)
    assert.equal((await watching).exitCode, 0)
    assert.equal((await queue.jobs.get(id))?.status, "running")
    await end()
  })
})

describe("sluice job ls, close and cancel", () => {
  it("list, close and cancel", async () => {
    const line = new CommandLine()
    const open = await submitted(line, "crawl", "-t", "page", "--open")
    const large = await submitted(line, "import", "-t", "page", ...Array.from({ length: 3 }, (_, n) => ["-i", `{"n": ${n}}`]).flat())
    const { lines } = await line.sluice("job", "ls")
    assert.match(lines[1] ?? "", new RegExp(`^${large} +import +running +0 % +3 pending$`))
    assert.match((await line.sluice("job", "close", open)).stdout, /completed/)
    assert.equal((await line.sluice("job", "cancel", large, "--reason", "wrong list")).stdout, `${large} cancelled: 3 tasks cancelled\n`)
    assert.ok((await line.sluice("job", "show", large)).lines.includes("why: wrong list"))
    const again = await line.sluice("job", "cancel", open)
    assert.equal(again.exitCode, 5)
    assert.match(again.stderr, /expected a job that runs, but job ".*" is completed/)
    const listed = (await line.sluice("job", "ls", "--status", "cancelled", "--json")).json() as { jobs: { id: string }[] }
    assert.deepEqual(
      listed.jobs.map(({ id }) => id),
      [large],
    )
    assert.match((await line.sluice("job", "ls", "--status", "done")).stderr, /--status: expected/)
  })
})
