// sluice list and counts: tables for people, documents for programs, pages by cursor.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { stripVTControlCharacters } from "node:util"
import { defineTask, PermanentError, type TaskDocument } from "../../../src/index.ts"
import { VirtualWorld } from "../../../src/testing/virtual-world.ts"
import { CommandLine, type CommandLineOptions } from "./command-line.ts"

interface Page {
  readonly tasks: readonly TaskDocument[]
  readonly cursor: string | null
}

/** One task in each of several statuses, the oldest first. */
async function filled(options: CommandLineOptions = {}): Promise<CommandLine> {
  const world = new VirtualWorld()
  const line = new CommandLine({ ...options, world })
  const queue = await line.queue()
  await queue.submit("fails", {}, { tags: ["odd"] })
  const worker = queue.worker([
    defineTask("fails", {
      run: () => {
        throw new PermanentError("no\nway \u001b[31m, and a rather long explanation of why there is no way at all")
      },
    }),
  ])
  const running = worker.run()
  await world.advanceUntil(async () => (await queue.counts()).failed === 1)
  worker.stop()
  await world.settle()
  await running
  await world.advance(90_000)
  await queue.submit("waits", {}, { tags: ["odd"] })
  await queue.submit("comes", {}, { delay: "1h" })
  await queue.cancel((await queue.submit("ends", {})).id)
  await world.advance(5_000)
  return line
}

describe("sluice list", () => {
  it("shows a table: when tasks are due, since when they wait or have ended, and their last error", async () => {
    const { lines, stderr } = await (await filled()).sluice("list")
    assert.deepEqual(
      lines.map((text) => text.replace(/[0-9a-f-]{36}/, "<id>").replace(/^ID +/, "ID  ")),
      [
        "ID  TYPE   STATUS     ATTEMPT  WHEN       LAST ERROR",
        "<id>  ends   cancelled        0  5s ago",
        "<id>  comes  pending          0  in 59m 55s",
        "<id>  waits  pending          0  waits 5s",
        "<id>  fails  failed           1  1m 35s ago  no\\nway \\u001b[31m, and a rather long explanation of why there is no way at all",
      ].map((text, i) => (i === 0 ? text.replace("WHEN       ", "WHEN        ") : text)),
    )
    assert.equal(stderr, "")
  })

  it("filters by status (repeated or with commas), type, tag and time", async () => {
    const line = await filled()
    const types = async (...argv: string[]) =>
      ((await line.sluice("list", "--json", ...argv)).json() as Page).tasks.map((task) => task.task_type)
    assert.deepEqual(await types("--status", "failed,cancelled"), ["ends", "fails"])
    assert.deepEqual(await types("--status", "failed", "--status", "pending"), ["comes", "waits", "fails"])
    assert.deepEqual(await types("--type", "waits"), ["waits"])
    assert.deepEqual(await types("--tag", "odd"), ["waits", "fails"])
    assert.deepEqual(await types("--created-before", "2026-01-28T12:01:00Z"), ["fails"])
    assert.deepEqual(await types("--created-from", "2026-01-28T12:01:00Z", "--status", "pending"), ["comes", "waits"])
  })

  it("goes from page to page by the cursor that it tells", async () => {
    const line = await filled()
    const first = await line.sluice("list", "--limit", "3")
    assert.equal(first.lines.length, 4)
    const cursor = /^more: repeat with --cursor (\S+)\n$/.exec(first.stderr)?.[1] ?? ""
    const second = await line.sluice("list", "--limit", "3", "--cursor", cursor)
    assert.deepEqual([second.lines.length, second.stderr], [2, ""])
    const page = (await line.sluice("list", "--limit", "3", "--json")).json() as Page
    assert.deepEqual([page.tasks.length, page.cursor], [3, cursor])
    assert.equal(((await line.sluice("list", "--json", "--cursor", cursor)).json() as Page).cursor, null)
  })

  it("keeps to the width of a terminal and colours statuses there", async () => {
    const line = await filled({ columns: 90 })
    const { stdout } = await line.sluice("list")
    assert.ok(stdout.includes("\u001b[31mfailed\u001b[0m"))
    const widths = stripVTControlCharacters(stdout)
      .split("\n")
      .map((text) => text.length)
    assert.ok(Math.max(...widths) <= 90, `at most 90 wide: ${widths}`)
  })

  it("has no colours with NO_COLOR, on a dumb terminal or without a terminal", async () => {
    const unlit: readonly CommandLineOptions[] = [{ columns: 90, env: { NO_COLOR: "1" } }, { columns: 90, env: { TERM: "dumb" } }, {}]
    for (const options of unlit) {
      const line = await filled(options)
      for (const argv of [["list"], ["counts"], ["doctor"], ["list", "--help"]])
        assert.ok(!(await line.sluice(...argv)).stdout.includes("\u001b"))
    }
  })
})

describe("what a task says of itself", () => {
  it("is shown on one line, and no terminal obeys it", async () => {
    const line = await filled()
    const { tasks } = (await line.sluice("list", "--status", "failed", "--json")).json() as Page
    const id = tasks[0]?.id ?? ""
    const shown = "no\\nway \\u001b[31m, and a rather long explanation"
    assert.ok((await line.sluice("get", id)).stdout.includes(`\nlast_error: ${shown}`))
    assert.ok((await line.sluice("status", id)).stdout.includes(`\nlast_error: ${shown}`))
    assert.ok((await line.sluice("history", id)).lines[2]?.startsWith(`Version 3: failed (error: ${shown}`))
  })
})

describe("sluice counts", () => {
  it("shows a table", async () => {
    const { stdout } = await (await filled()).sluice("counts")
    assert.equal(
      stdout,
      `pending    2
running    0
completed  0
failed     1
cancelled  1
expired    0
archived   0
total      4
`,
    )
  })

  it("prints one line of JSON, of all types or one", async () => {
    const line = await filled()
    const zeros = '"completed": 0, "failed": 0, "cancelled": 0, "expired": 0, "archived": 0}\n'
    assert.equal((await line.sluice("counts", "--type", "waits", "--json")).stdout, `{"pending": 1, "running": 0, ${zeros}`)
    assert.deepEqual((await line.sluice("--json", "counts")).json(), await (await line.queue()).counts())
  })
})
