// What the guide to schedules shows works: its program as it stands, only more often; and what it says of changes of clocks is so.

import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { after, describe, it } from "node:test"
import { nextInstants, readTimetable } from "../../../src/cron/index.ts"
import { connect } from "../../../src/index.ts"

const folder = mkdtempSync(join(tmpdir(), "sluice-schedules-guide-"))
after(() => rmSync(folder, { recursive: true, force: true }))

const page = readFileSync("docs/guides/schedules.md", "utf8")

describe("the guide to schedules", () => {
  it("shows a program that runs its task at each instant", { timeout: 60_000 }, async () => {
    const [, shown = ""] = /```ts\n([\s\S]*?)```/.exec(page) ?? []
    const url = `sqlite:${join(folder, "guide.db")}`
    const program = shown.replace("sqlite:./sluice.db", url).replace('"0 3 * * *"', '"* * * * * *"')
    assert.ok(program.includes(url) && program.includes("* * * * * *"))
    // Below the package's own folder, so that "sluice" means this package.
    const file = resolve(".build", "schedules-guide.ts")
    writeFileSync(file, program)
    const child = spawn(process.execPath, [resolve("node_modules/jiti/lib/jiti-cli.mjs"), file], { stdio: ["ignore", "pipe", "pipe"] })
    let output = ""
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (output += data))
    const exit = new Promise<void>((done) => child.on("exit", () => done()))
    const queue = await connect(url)
    try {
      for (;;) {
        const waiting = queue.store.wait({ workerId: "test" }, AbortSignal.timeout(500))
        const { completed, failed } = await queue.counts()
        assert.deepEqual([failed, child.exitCode], [0, null], output)
        if (completed >= 2) break
        await waiting
      }
      const tasks = (await queue.list({ status: "completed" })).tasks.toReversed()
      assert.deepEqual(tasks[0]?.output, "a full report")
      const keys = tasks.map(({ idempotencyKey }) => idempotencyKey)
      assert.ok(keys.every((key) => /^schedule:nightly:\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(key ?? "")))
      assert.equal(new Set(keys).size, keys.length)
    } finally {
      await queue.close()
      child.kill("SIGKILL")
      await exit
    }
  })

  /** The hours of the night in UTC; Vienna is an hour ahead before the change in spring, and two before that in autumn. */
  const nights: Readonly<Record<string, readonly [spring: string, autumn: string]>> = {
    "30 2 * * *": ["01:00", "00:30"],
    "0 3 * * *": ["01:00", "02:00"],
    "0 2,3 * * *": ["01:00", "00:00 02:00"],
    "0 */2 * * *": ["23:00 01:00 02:00", "22:00 00:00 03:00"],
    "30 * * * *": ["23:30 00:30 01:30", "22:30 23:30 00:30 01:30 02:30"],
  }
  for (const [cron, [spring, autumn]] of Object.entries(nights)) {
    it(`says what ${cron} does where clocks change`, () => {
      assert.ok(page.includes(`| \`${cron}\` |`), "expected it in the table")
      const night = (fromMs: number, hours: number) =>
        nextInstants(readTimetable("guide", cron, "Europe/Vienna"), fromMs - 1, 50)
          .filter((at) => at < fromMs + hours * 3_600_000)
          .map((at) => new Date(at).toISOString().slice(11, 16))
          .join(" ")
      // From local midnight to five minutes past four.
      assert.equal(night(Date.UTC(2026, 2, 28, 23), 3 + 1 / 12), spring)
      assert.equal(night(Date.UTC(2026, 9, 24, 22), 5 + 1 / 12), autumn)
    })
  }
})
