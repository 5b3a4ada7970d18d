// What the README shows works: its smallest program as it stands, with only the addresses replaced, and `npm start`.

import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { after, describe, it } from "node:test"
import { connect } from "../../../src/index.ts"

const folder = mkdtempSync(join(tmpdir(), "sluice-readme-"))
after(() => rmSync(folder, { recursive: true, force: true }))

function run(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...env } })
  let output = ""
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (output += data))
  const exit = new Promise<number | null>((done) => child.on("exit", (code) => done(code)))
  return { child, exit, output: () => output }
}

describe("the README", () => {
  it("shows a smallest program that runs", { timeout: 60_000 }, async () => {
    const answers = [429, 200]
    const server = createServer((_request, response) => {
      const status = answers.shift() ?? 200
      response.writeHead(status, { "retry-after": "1", "content-type": "application/json" }).end(JSON.stringify({ status }))
    })
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
    const { port } = server.address() as AddressInfo
    const url = `sqlite:${join(folder, "smallest.db")}`
    const shown = /```ts\n([\s\S]*?)```/.exec(readFileSync("README.md", "utf8"))?.[1] ?? ""
    const program = shown.replace("https://api.example.com/orders", `http://127.0.0.1:${port}/`).replace("sqlite:./sluice.db", url)
    assert.notEqual(program, shown)
    // Below the package's own folder, so that "sluice" means this package.
    const file = resolve(".build", "smallest.ts")
    writeFileSync(file, program)
    const { child, exit, output } = run([resolve("node_modules/jiti/lib/jiti-cli.mjs"), file])
    try {
      const queue = await connect(url)
      for (;;) {
        const waiting = queue.store.wait({ workerId: "test" }, AbortSignal.timeout(500))
        const { completed, failed } = await queue.counts()
        assert.equal(failed, 0)
        assert.equal(child.exitCode, null, output())
        if (completed === 1) break
        await waiting
      }
      const [task] = (await queue.list()).tasks
      assert.deepEqual([task?.output, task?.throttleCount, task?.retryCount], [{ status: 200 }, 1, 0])
      await queue.close()
    } finally {
      child.kill("SIGKILL")
      await exit
      server.close()
    }
  })

  it("names a start command that shows the stories at work and, with --exit, ends with a table and 0", { timeout: 180_000 }, async () => {
    const { exit, output } = run(["scripts/start.mjs", "--exit"], { SLUICE_STORE: `sqlite:${join(folder, "start.db")}` })
    assert.equal(await exit, 0, output())
    assert.match(output(), /^Sluice is at work\.\n[\s\S]*It ends by itself/m)
    assert.match(output(), /^ {2}reminders +23 +11 expired, 12 completed +0 +0 +[\d.]+ s +2\.0 s/m)
    assert.match(output(), /^ {2}ocr +24 +23 completed, 1 failed +1 +0 +[\d.]+ s +3\.0 s/m)
    assert.match(output(), /No limit was exceeded\.\n$/)
  })

  it("names a start command that goes on until it is told to stop", { timeout: 180_000 }, async () => {
    const { child, exit, output } = run(["scripts/start.mjs"], { SLUICE_STORE: `sqlite:${join(folder, "live.db")}` })
    try {
      while (!/^\d+ waiting, .* 429s so far: \d+$/m.test(output())) await once(child.stdout, "data")
      assert.match(output(), /Ctrl-C stops it/)
      const [, url = ""] = /dashboard +(http:\/\/127\.0\.0\.1:\d+)/.exec(output()) ?? []
      const counts = (await (await fetch(`${url}/api/v1/counts`)).json()) as Record<string, number>
      assert.ok((counts.pending ?? 0) + (counts.running ?? 0) + (counts.completed ?? 0) > 0, JSON.stringify(counts))
    } finally {
      child.kill("SIGINT")
    }
    assert.equal(await exit, 0, output())
  })
})
